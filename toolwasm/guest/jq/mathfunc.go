package jq

import (
	"math"
	"strings"
)

// mathFunction finds a function of C's math library.
func mathFunction(name string) (function, bool) {
	base, arity, _ := strings.Cut(name, "/")
	switch arity {
	case "0":
		if f := math1(base); f != nil {
			return func(v any, _ []any) (any, error) {
				x, ok := toFloat(v)
				if !ok {
					return nil, errorf("%s number required", show(v))
				}
				return f(x), nil
			}, true
		}
		return mathSpecial(base)
	case "2":
		if f := math2(base); f != nil {
			return func(_ any, a []any) (any, error) {
				for _, x := range a {
					if _, ok := toFloat(x); !ok {
						return nil, errorf("%s number required", show(x))
					}
				}
				x, y, _ := numbers(a[0], a[1])
				return f(x, y), nil
			}, true
		}
	case "3":
		if base == "fma" {
			return func(_ any, a []any) (any, error) {
				x, y, ok := numbers(a[0], a[1])
				z, ok2 := toFloat(a[2])
				if !ok || !ok2 {
					return nil, errorf("%s number required", show(a[0]))
				}
				return math.FMA(x, y, z), nil
			}, true
		}
	}
	return nil, false
}

func math1(name string) func(float64) float64 {
	return map[string]func(float64) float64{
		"floor": math.Floor, "ceil": math.Ceil, "round": math.Round, "trunc": math.Trunc, "rint": math.RoundToEven,
		"nearbyint": math.RoundToEven, "sqrt": math.Sqrt, "cbrt": math.Cbrt, "fabs": math.Abs,
		"sin": math.Sin, "cos": math.Cos, "tan": math.Tan, "asin": math.Asin, "acos": math.Acos, "atan": math.Atan,
		"sinh": math.Sinh, "cosh": math.Cosh, "tanh": math.Tanh, "asinh": math.Asinh, "acosh": math.Acosh, "atanh": math.Atanh,
		"exp": math.Exp, "exp2": math.Exp2, "exp10": exp10, "expm1": math.Expm1, "log": math.Log, "log2": math.Log2, "log10": math.Log10,
		"log1p": math.Log1p, "logb": logb, "gamma": lgamma, "lgamma": lgamma, "tgamma": math.Gamma,
		"j0": math.J0, "j1": math.J1, "y0": math.Y0, "y1": math.Y1, "significand": significand, "ceiling": nil, "pow10": exp10,
	}[name]
}

func math2(name string) func(x, y float64) float64 {
	return map[string]func(x, y float64) float64{
		"pow": math.Pow, "atan2": math.Atan2, "fmin": fmin, "fmax": fmax, "fmod": math.Mod, "hypot": math.Hypot,
		"copysign": math.Copysign, "nextafter": math.Nextafter, "nexttoward": math.Nextafter, "drem": math.Remainder, "fdim": math.Dim,
		"ldexp": scale, "scalb": scale, "scalbln": scale,
	}[name]
}

func mathSpecial(name string) (function, bool) {
	switch name {
	case "frexp":
		return func(v any, _ []any) (any, error) {
			x, ok := toFloat(v)
			if !ok {
				return nil, errorf("%s number required", show(v))
			}
			f, e := math.Frexp(x)
			return newArray([]any{f, float64(e)}), nil
		}, true
	case "modf":
		return func(v any, _ []any) (any, error) {
			x, ok := toFloat(v)
			if !ok {
				return nil, errorf("%s number required", show(v))
			}
			if math.IsInf(x, 0) {
				return newArray([]any{math.Copysign(0, x), x}), nil
			}
			i, f := math.Modf(x)
			return newArray([]any{f, i}), nil
		}, true
	case "lgamma_r":
		return func(v any, _ []any) (any, error) {
			x, ok := toFloat(v)
			if !ok {
				return nil, errorf("%s number required", show(v))
			}
			f, s := math.Lgamma(x)
			return newArray([]any{f, float64(s)}), nil
		}, true
	}
	return nil, false
}

func exp10(x float64) float64 { return math.Pow(10, x) }

func lgamma(x float64) float64 {
	f, _ := math.Lgamma(x)
	return f
}

func logb(x float64) float64 {
	switch {
	case x == 0:
		return math.Inf(-1)
	case math.IsInf(x, 0):
		return math.Inf(1)
	}
	return math.Logb(x)
}

func significand(x float64) float64 {
	if x == 0 || math.IsInf(x, 0) || math.IsNaN(x) {
		return x
	}
	f, _ := math.Frexp(x)
	return f * 2
}

func fmin(x, y float64) float64 {
	if math.IsNaN(x) {
		return y
	}
	if math.IsNaN(y) {
		return x
	}
	return math.Min(x, y)
}

func fmax(x, y float64) float64 {
	if math.IsNaN(x) {
		return y
	}
	if math.IsNaN(y) {
		return x
	}
	return math.Max(x, y)
}

func scale(x, y float64) float64 {
	const limit = 5000
	return math.Ldexp(x, int(math.Max(-limit, math.Min(limit, y))))
}
