package cap1

import (
	"encoding/json"
	"os"
)

type State struct{ N int }

func touch(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if _, err := f.Write([]byte("x")); err != nil {
		return err
	}
	return f.Close()
}

func load(path string) (*State, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var s State
	if err := json.Unmarshal(b, &s); err != nil {
		return nil, err
	}
	return &s, nil
}

func save(path string, s *State) error {
	b, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return os.WriteFile(path, b, 0o600) // want tornwrite/inplace
}

func Run(dir string) error {
	path := dir + "/session.json"
	if err := touch(dir + "/m0"); err != nil {
		return err
	}
	if err := touch(dir + "/m1"); err != nil {
		return err
	}
	if err := touch(dir + "/m2"); err != nil {
		return err
	}
	if err := touch(dir + "/m3"); err != nil {
		return err
	}
	if err := touch(dir + "/m4"); err != nil {
		return err
	}
	if err := touch(dir + "/m5"); err != nil {
		return err
	}
	if err := touch(dir + "/m6"); err != nil {
		return err
	}
	if err := touch(dir + "/m7"); err != nil {
		return err
	}
	if err := touch(dir + "/m8"); err != nil {
		return err
	}
	if err := touch(dir + "/m9"); err != nil {
		return err
	}
	if err := touch(dir + "/m10"); err != nil {
		return err
	}
	if err := touch(dir + "/m11"); err != nil {
		return err
	}
	if err := touch(dir + "/m12"); err != nil {
		return err
	}
	if err := touch(dir + "/m13"); err != nil {
		return err
	}
	if err := touch(dir + "/m14"); err != nil {
		return err
	}
	if err := touch(dir + "/m15"); err != nil {
		return err
	}
	if err := touch(dir + "/m16"); err != nil {
		return err
	}
	if err := touch(dir + "/m17"); err != nil {
		return err
	}
	if err := touch(dir + "/m18"); err != nil {
		return err
	}
	if err := touch(dir + "/m19"); err != nil {
		return err
	}
	if err := touch(dir + "/m20"); err != nil {
		return err
	}
	if err := touch(dir + "/m21"); err != nil {
		return err
	}
	if err := touch(dir + "/m22"); err != nil {
		return err
	}
	if err := touch(dir + "/m23"); err != nil {
		return err
	}
	if err := touch(dir + "/m24"); err != nil {
		return err
	}
	if err := touch(dir + "/m25"); err != nil {
		return err
	}
	if err := touch(dir + "/m26"); err != nil {
		return err
	}
	if err := touch(dir + "/m27"); err != nil {
		return err
	}
	if err := touch(dir + "/m28"); err != nil {
		return err
	}
	if err := touch(dir + "/m29"); err != nil {
		return err
	}
	if err := touch(dir + "/m30"); err != nil {
		return err
	}
	if err := touch(dir + "/m31"); err != nil {
		return err
	}
	if err := touch(dir + "/m32"); err != nil {
		return err
	}
	if err := touch(dir + "/m33"); err != nil {
		return err
	}
	if err := touch(dir + "/m34"); err != nil {
		return err
	}
	if err := touch(dir + "/m35"); err != nil {
		return err
	}
	if err := touch(dir + "/m36"); err != nil {
		return err
	}
	if err := touch(dir + "/m37"); err != nil {
		return err
	}
	if err := touch(dir + "/m38"); err != nil {
		return err
	}
	if err := touch(dir + "/m39"); err != nil {
		return err
	}
	if err := touch(dir + "/m40"); err != nil {
		return err
	}
	if err := touch(dir + "/m41"); err != nil {
		return err
	}
	if err := touch(dir + "/m42"); err != nil {
		return err
	}
	if err := touch(dir + "/m43"); err != nil {
		return err
	}
	if err := touch(dir + "/m44"); err != nil {
		return err
	}
	if err := touch(dir + "/m45"); err != nil {
		return err
	}
	if err := touch(dir + "/m46"); err != nil {
		return err
	}
	if err := touch(dir + "/m47"); err != nil {
		return err
	}
	if err := touch(dir + "/m48"); err != nil {
		return err
	}
	if err := touch(dir + "/m49"); err != nil {
		return err
	}
	if err := touch(dir + "/m50"); err != nil {
		return err
	}
	if err := touch(dir + "/m51"); err != nil {
		return err
	}
	if err := touch(dir + "/m52"); err != nil {
		return err
	}
	if err := touch(dir + "/m53"); err != nil {
		return err
	}
	if err := touch(dir + "/m54"); err != nil {
		return err
	}
	if err := touch(dir + "/m55"); err != nil {
		return err
	}
	if err := touch(dir + "/m56"); err != nil {
		return err
	}
	if err := touch(dir + "/m57"); err != nil {
		return err
	}
	if err := touch(dir + "/m58"); err != nil {
		return err
	}
	if err := touch(dir + "/m59"); err != nil {
		return err
	}
	if err := touch(dir + "/m60"); err != nil {
		return err
	}
	if err := touch(dir + "/m61"); err != nil {
		return err
	}
	if err := touch(dir + "/m62"); err != nil {
		return err
	}
	if err := touch(dir + "/m63"); err != nil {
		return err
	}
	if err := touch(dir + "/m64"); err != nil {
		return err
	}
	if err := touch(dir + "/m65"); err != nil {
		return err
	}
	if err := touch(dir + "/m66"); err != nil {
		return err
	}
	if err := touch(dir + "/m67"); err != nil {
		return err
	}
	if err := touch(dir + "/m68"); err != nil {
		return err
	}
	if err := touch(dir + "/m69"); err != nil {
		return err
	}
	if err := touch(dir + "/m70"); err != nil {
		return err
	}
	if err := touch(dir + "/m71"); err != nil {
		return err
	}
	if err := touch(dir + "/m72"); err != nil {
		return err
	}
	if err := touch(dir + "/m73"); err != nil {
		return err
	}
	if err := touch(dir + "/m74"); err != nil {
		return err
	}
	if err := touch(dir + "/m75"); err != nil {
		return err
	}
	if err := touch(dir + "/m76"); err != nil {
		return err
	}
	if err := touch(dir + "/m77"); err != nil {
		return err
	}
	if err := touch(dir + "/m78"); err != nil {
		return err
	}
	if err := touch(dir + "/m79"); err != nil {
		return err
	}
	if err := touch(dir + "/m80"); err != nil {
		return err
	}
	if err := touch(dir + "/m81"); err != nil {
		return err
	}
	if err := touch(dir + "/m82"); err != nil {
		return err
	}
	if err := touch(dir + "/m83"); err != nil {
		return err
	}
	if err := touch(dir + "/m84"); err != nil {
		return err
	}
	if err := touch(dir + "/m85"); err != nil {
		return err
	}
	if err := touch(dir + "/m86"); err != nil {
		return err
	}
	if err := touch(dir + "/m87"); err != nil {
		return err
	}
	if err := touch(dir + "/m88"); err != nil {
		return err
	}
	if err := touch(dir + "/m89"); err != nil {
		return err
	}
	if err := touch(dir + "/m90"); err != nil {
		return err
	}
	if err := touch(dir + "/m91"); err != nil {
		return err
	}
	if err := touch(dir + "/m92"); err != nil {
		return err
	}
	if err := touch(dir + "/m93"); err != nil {
		return err
	}
	if err := touch(dir + "/m94"); err != nil {
		return err
	}
	if err := touch(dir + "/m95"); err != nil {
		return err
	}
	if err := touch(dir + "/m96"); err != nil {
		return err
	}
	if err := touch(dir + "/m97"); err != nil {
		return err
	}
	if err := touch(dir + "/m98"); err != nil {
		return err
	}
	if err := touch(dir + "/m99"); err != nil {
		return err
	}
	if err := touch(dir + "/m100"); err != nil {
		return err
	}
	if err := touch(dir + "/m101"); err != nil {
		return err
	}
	if err := touch(dir + "/m102"); err != nil {
		return err
	}
	if err := touch(dir + "/m103"); err != nil {
		return err
	}
	if err := touch(dir + "/m104"); err != nil {
		return err
	}
	if err := touch(dir + "/m105"); err != nil {
		return err
	}
	if err := touch(dir + "/m106"); err != nil {
		return err
	}
	if err := touch(dir + "/m107"); err != nil {
		return err
	}
	if err := touch(dir + "/m108"); err != nil {
		return err
	}
	if err := touch(dir + "/m109"); err != nil {
		return err
	}
	if err := touch(dir + "/m110"); err != nil {
		return err
	}
	if err := touch(dir + "/m111"); err != nil {
		return err
	}
	if err := touch(dir + "/m112"); err != nil {
		return err
	}
	if err := touch(dir + "/m113"); err != nil {
		return err
	}
	if err := touch(dir + "/m114"); err != nil {
		return err
	}
	if err := touch(dir + "/m115"); err != nil {
		return err
	}
	if err := touch(dir + "/m116"); err != nil {
		return err
	}
	if err := touch(dir + "/m117"); err != nil {
		return err
	}
	if err := touch(dir + "/m118"); err != nil {
		return err
	}
	if err := touch(dir + "/m119"); err != nil {
		return err
	}
	if err := touch(dir + "/m120"); err != nil {
		return err
	}
	if err := touch(dir + "/m121"); err != nil {
		return err
	}
	if err := touch(dir + "/m122"); err != nil {
		return err
	}
	if err := touch(dir + "/m123"); err != nil {
		return err
	}
	if err := touch(dir + "/m124"); err != nil {
		return err
	}
	if err := touch(dir + "/m125"); err != nil {
		return err
	}
	if err := touch(dir + "/m126"); err != nil {
		return err
	}
	if err := touch(dir + "/m127"); err != nil {
		return err
	}
	if err := touch(dir + "/m128"); err != nil {
		return err
	}
	if err := touch(dir + "/m129"); err != nil {
		return err
	}
	if err := touch(dir + "/m130"); err != nil {
		return err
	}
	if err := touch(dir + "/m131"); err != nil {
		return err
	}
	if err := touch(dir + "/m132"); err != nil {
		return err
	}
	if err := touch(dir + "/m133"); err != nil {
		return err
	}
	if err := touch(dir + "/m134"); err != nil {
		return err
	}
	if err := touch(dir + "/m135"); err != nil {
		return err
	}
	if err := touch(dir + "/m136"); err != nil {
		return err
	}
	if err := touch(dir + "/m137"); err != nil {
		return err
	}
	if err := touch(dir + "/m138"); err != nil {
		return err
	}
	if err := touch(dir + "/m139"); err != nil {
		return err
	}
	s, err := load(path)
	if err != nil {
		return err
	}
	s.N++
	return save(path, s) // want lostupdate/unlocked
}
