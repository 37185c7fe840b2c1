package uuid

type UUID [16]byte

func NewRandom() (UUID, error) { return UUID{}, nil }

func Must(u UUID, err error) UUID { return u }

func (u UUID) String() string { return string(u[:]) }
