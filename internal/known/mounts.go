package known

import (
	"go/types"
	"strings"
)

// mounted are the fields that name the place of a file in a container, and those that name the file of
// the host, which stand beside them in the type of a mount: of the runtime specification of the OCI, of docker and
// containerd, of the container interface of Kubernetes, and of programs that have one of their own.
var mounted = [][2]string{{"Destination", "Source"}, {"Target", "Source"}, {"ContainerPath", "HostPath"}, {"Dest", "Src"}, {"Dst", "Src"}}

// Mounts is the field of a struct type that says what of the host is mounted: the source of a mount,
// or the list of what docker calls binds, "source:target". It is nil for any other type.
func Mounts(t types.Type) *types.Var {
	named, ok := types.Unalias(Pointee(t)).(*types.Named)
	if !ok {
		return nil
	}
	st, ok := named.Underlying().(*types.Struct)
	if !ok {
		return nil
	}
	fields := map[string]*types.Var{}
	for v := range st.Fields() {
		fields[v.Name()] = v
	}
	if name := named.Obj().Name(); !strings.Contains(name, "Mount") && !strings.HasPrefix(name, "mount") {
		if name == "HostConfig" {
			return fields["Binds"]
		}
		return nil
	}
	for _, pair := range mounted {
		if target, source := fields[pair[0]], fields[pair[1]]; target != nil && source != nil {
			return source
		}
	}
	return nil
}
