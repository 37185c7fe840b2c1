package fan

import (
	"fmt"
	"os"
)

func Acquire(lockPath string, kinds []int) (*os.File, error) {
	err := fmt.Errorf("start")
	for _, k := range kinds {
		switch k {
		case 0:
			err = fmt.Errorf("w0: %w", err)
		case 1:
			err = fmt.Errorf("w1: %w", err)
		case 2:
			err = fmt.Errorf("w2: %w", err)
		case 3:
			err = fmt.Errorf("w3: %w", err)
		case 4:
			err = fmt.Errorf("w4: %w", err)
		case 5:
			err = fmt.Errorf("w5: %w", err)
		case 6:
			err = fmt.Errorf("w6: %w", err)
		case 7:
			err = fmt.Errorf("w7: %w", err)
		case 8:
			err = fmt.Errorf("w8: %w", err)
		case 9:
			err = fmt.Errorf("w9: %w", err)
		case 10:
			err = fmt.Errorf("w10: %w", err)
		case 11:
			err = fmt.Errorf("w11: %w", err)
		case 12:
			err = fmt.Errorf("w12: %w", err)
		case 13:
			err = fmt.Errorf("w13: %w", err)
		case 14:
			err = fmt.Errorf("w14: %w", err)
		case 15:
			err = fmt.Errorf("w15: %w", err)
		case 16:
			err = fmt.Errorf("w16: %w", err)
		case 17:
			err = fmt.Errorf("w17: %w", err)
		case 18:
			err = fmt.Errorf("w18: %w", err)
		case 19:
			err = fmt.Errorf("w19: %w", err)
		case 20:
			err = fmt.Errorf("w20: %w", err)
		case 21:
			err = fmt.Errorf("w21: %w", err)
		case 22:
			err = fmt.Errorf("w22: %w", err)
		case 23:
			err = fmt.Errorf("w23: %w", err)
		case 24:
			err = fmt.Errorf("w24: %w", err)
		case 25:
			err = fmt.Errorf("w25: %w", err)
		case 26:
			err = fmt.Errorf("w26: %w", err)
		case 27:
			err = fmt.Errorf("w27: %w", err)
		case 28:
			err = fmt.Errorf("w28: %w", err)
		case 29:
			err = fmt.Errorf("w29: %w", err)
		case 30:
			err = fmt.Errorf("w30: %w", err)
		case 31:
			err = fmt.Errorf("w31: %w", err)
		case 32:
			err = fmt.Errorf("w32: %w", err)
		case 33:
			err = fmt.Errorf("w33: %w", err)
		case 34:
			err = fmt.Errorf("w34: %w", err)
		case 35:
			err = fmt.Errorf("w35: %w", err)
		case 36:
			err = fmt.Errorf("w36: %w", err)
		case 37:
			err = fmt.Errorf("w37: %w", err)
		case 38:
			err = fmt.Errorf("w38: %w", err)
		case 39:
			err = fmt.Errorf("w39: %w", err)
		case 40:
			err = fmt.Errorf("w40: %w", err)
		case 41:
			err = fmt.Errorf("w41: %w", err)
		case 42:
			err = fmt.Errorf("w42: %w", err)
		case 43:
			err = fmt.Errorf("w43: %w", err)
		case 44:
			err = fmt.Errorf("w44: %w", err)
		case 45:
			err = fmt.Errorf("w45: %w", err)
		case 46:
			err = fmt.Errorf("w46: %w", err)
		case 47:
			err = fmt.Errorf("w47: %w", err)
		case 48:
			err = fmt.Errorf("w48: %w", err)
		case 49:
			err = fmt.Errorf("w49: %w", err)
		case 50:
			err = fmt.Errorf("w50: %w", err)
		case 51:
			err = fmt.Errorf("w51: %w", err)
		case 52:
			err = fmt.Errorf("w52: %w", err)
		case 53:
			err = fmt.Errorf("w53: %w", err)
		case 54:
			err = fmt.Errorf("w54: %w", err)
		case 55:
			err = fmt.Errorf("w55: %w", err)
		case 56:
			err = fmt.Errorf("w56: %w", err)
		case 57:
			err = fmt.Errorf("w57: %w", err)
		case 58:
			err = fmt.Errorf("w58: %w", err)
		case 59:
			err = fmt.Errorf("w59: %w", err)
		case 60:
			err = fmt.Errorf("w60: %w", err)
		case 61:
			err = fmt.Errorf("w61: %w", err)
		case 62:
			err = fmt.Errorf("w62: %w", err)
		case 63:
			err = fmt.Errorf("w63: %w", err)
		case 64:
			err = fmt.Errorf("w64: %w", err)
		case 65:
			err = fmt.Errorf("w65: %w", err)
		case 66:
			err = fmt.Errorf("w66: %w", err)
		case 67:
			err = fmt.Errorf("w67: %w", err)
		case 68:
			err = fmt.Errorf("w68: %w", err)
		case 69:
			err = fmt.Errorf("w69: %w", err)
		case 70:
			err = fmt.Errorf("w70: %w", err)
		case 71:
			err = fmt.Errorf("w71: %w", err)
		case 72:
			err = fmt.Errorf("w72: %w", err)
		case 73:
			err = fmt.Errorf("w73: %w", err)
		case 74:
			err = fmt.Errorf("w74: %w", err)
		case 75:
			err = fmt.Errorf("w75: %w", err)
		case 76:
			err = fmt.Errorf("w76: %w", err)
		case 77:
			err = fmt.Errorf("w77: %w", err)
		case 78:
			err = fmt.Errorf("w78: %w", err)
		case 79:
			err = fmt.Errorf("w79: %w", err)
		}
	}
	if _, e := os.Stat(lockPath); e == nil {
		return nil, fmt.Errorf("already locked: %w", err)
	}
	f, e := os.Create(lockPath) // want racycreate/check
	if e != nil {
		return nil, e
	}
	fmt.Fprintf(f, "%d", os.Getpid())
	return f, nil
}

func Release(lockPath string) error { return os.Remove(lockPath) }
