package unheard

// ok: nobody looks at tests unless asked to
//
//lockvet:ignore earlyrelease the test wants to see it fail
var _ = shelf
