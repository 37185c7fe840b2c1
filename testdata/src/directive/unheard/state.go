package unheard

type globe struct {
	// ok: a field
	path string //lockvet:state

	//lockvet:state
	north, south string // ok: fields
}

//lockvet:state ok: a variable
var shelf = "shelf"

// drawer is where the maps are.
//
//lockvet:state ok: a function
func drawer(dir string) string { return dir + "/drawer" }

/* want `the comment marks nothing` */ //lockvet:state
type compass string

func fold(g *globe) string {
	/* want `the comment marks nothing` */ //lockvet:state
	g.path = shelf
	//lockvet:state ok: a local variable
	var corner = g.north + g.south
	return drawer(corner)
}
