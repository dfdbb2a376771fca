package neural

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"synpool/milbench/mil"
	"synpool/synlayer"
)

// Hyperparameter describes a hyperparameter of networks. JSON, validation, grids, searches, flags and help come from it,
// and it comes from the tags of a field of [Config], or of a pooling:
//
//	Gamma float64 `json:"gamma" range:"(0,1]" search:"0.5,1" help:"gamma of the Syn steps"`
//
// The field is an int, float64, bool or string. The key "json" is its name, which no other flag of the command has; with
// omitempty the JSON leaves out 0, false and "". "range" has the least and the largest number, each in a bracket if it is valid itself, in a parenthesis if
// not; the largest may be missing. "words" lists the valid strings, besides "". "search" has the values of [SearchGrid].
type Hyperparameter struct {
	Name   string   // key in the JSON of a setting and in a [Grid]
	Words  []string // what a string or bool may be; nil for any
	Search []any    // values of [SearchGrid]; nil for the default alone

	field    reflect.StructField
	optional bool
	own      bool // a field of the pooling
	inRange  func(float64) bool
	allowed  string // what is in the range, in words
}

// tagged returns the hyperparameters in the tags of a struct, in the order of its fields.
func tagged(in reflect.Type) (list []*Hyperparameter, err error) { return hyperparametersOf(in, nil) }

// hyperparametersOf returns the hyperparameters of a struct, in the order of its fields: those with tags, and the exported fields
// without a tag that named, which may be nil, gives a name.
func hyperparametersOf(in reflect.Type, named func(reflect.StructField) string) (list []*Hyperparameter, err error) {
	if in == nil || in.Kind() != reflect.Struct {
		return nil, nil
	}
	for i := range in.NumField() {
		f := in.Field(i)
		if _, known := fieldKinds[f.Type.Kind()]; f.Tag == "" && known && f.IsExported() && named != nil {
			if name := named(f); name != "" {
				f.Tag = reflect.StructTag(fmt.Sprintf(`json:"%s" help:"field %s of the pooling"`, name, f.Name))
			}
		}
		if f.Tag.Get("help") == "" {
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		h := &Hyperparameter{Name: name, field: f, optional: options == "omitempty", own: in != reflect.TypeFor[Config]()}
		if _, known := fieldKinds[f.Type.Kind()]; name == "" || !f.IsExported() || !known {
			return nil, fmt.Errorf("field %s: a hyperparameter is an exported int, float64, bool or string with a name for JSON", f.Name)
		}
		if words := f.Tag.Get("words"); words != "" {
			h.Words = strings.Split(words, ",")
		} else if f.Type.Kind() == reflect.Bool {
			h.Words = []string{"true", "false"}
		}
		if h.inRange, h.allowed, err = parseRange(f.Tag.Get("range")); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if values := f.Tag.Get("search"); values != "" {
			for text := range strings.SplitSeq(values, ",") {
				v, err := h.Parse(text)
				if err == nil {
					err = h.Check(v)
				}
				if err != nil {
					return nil, fmt.Errorf("search of %s: %w", name, err)
				}
				h.Search = append(h.Search, v)
			}
		}
		list = append(list, h)
	}
	return list, nil
}

// fields are the hyperparameters in [Config], in the order in which they are drawn; common are those of all networks.
var (
	fields = func() []*Hyperparameter {
		list, err := tagged(reflect.TypeFor[Config]())
		if err != nil {
			panic(err) // a wrong tag of this package
		}
		return list
	}()
	common = having(func(h *Hyperparameter) bool {
		return !slices.ContainsFunc(entries, func(e Entry) bool { return slices.Contains(e.Has, h.Name) })
	})
)

// having returns the fields for which is is true.
func having(is func(*Hyperparameter) bool) []*Hyperparameter {
	return slices.DeleteFunc(slices.Clone(fields), func(h *Hyperparameter) bool { return !is(h) })
}

// common reports whether all networks have the hyperparameter.
func (h *Hyperparameter) common() bool { return slices.ContainsFunc(common, h.same) }

// Hyperparameters returns the hyperparameters of networks with the named pooling, or of all for "", in the order of the
// JSON.
func Hyperparameters(pooling string) []*Hyperparameter {
	if pooling != "" {
		e, err := find(pooling)
		if err != nil {
			return nil
		}
		return e.all()
	}
	list := having(func(h *Hyperparameter) bool { return !h.common() })
	for _, e := range entries {
		for _, h := range e.own() {
			if !slices.ContainsFunc(list, h.same) { // of another pooling, too
				list = append(list, h)
			}
		}
	}
	return append(list, common...)
}

// Flag returns the name of the flag.
func (h *Hyperparameter) Flag() string { return strings.ReplaceAll(h.Name, "_", "-") }

// Help returns the help of the flag. In brackets it has the poolings with the hyperparameter, unless the text names them
// or all have it.
func (h *Hyperparameter) Help() string {
	text := h.field.Tag.Get("help")
	named := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) })
	others := slices.DeleteFunc(h.Of(), func(pooling string) bool { return slices.Contains(named, pooling) })
	if len(others) == 0 || h.common() {
		return text
	}
	return fmt.Sprintf("%s (%s)", text, strings.Join(others, ", "))
}

// Of returns the poolings that have the hyperparameter.
func (h *Hyperparameter) Of() []string {
	return slices.DeleteFunc(slices.Clone(Poolings), func(pooling string) bool { return !slices.ContainsFunc(Hyperparameters(pooling), h.same) })
}

func (h *Hyperparameter) same(other *Hyperparameter) bool { return h.Name == other.Name }

// fieldKinds says how values of a kind are called and written.
var fieldKinds = map[reflect.Kind]struct{ one, examples string }{
	reflect.Int:     {"an integer", "-3,0,3"},
	reflect.Float64: {"a number", "0.5,1"},
	reflect.Bool:    {"true or false", "true,false"},
	reflect.String:  {"a name", "syn,softmax"},
}

// Parse reads a value as a flag has it. Whether it is valid, [Hyperparameter.Check] says.
func (h *Hyperparameter) Parse(text string) (value any, err error) {
	kind := h.field.Type.Kind()
	switch kind {
	case reflect.Int:
		value, err = strconv.Atoi(text)
	case reflect.Float64:
		value, err = mil.ParseNumber(text)
	case reflect.Bool:
		value, err = strconv.ParseBool(text)
	default:
		value = text
	}
	if err != nil || text == "" {
		return nil, fmt.Errorf("%q is not %s; write, say, %s", text, fieldKinds[kind].one, fieldKinds[kind].examples)
	}
	return value, nil
}

// Check reports a value that no setting may have. An int is taken for a float64.
func (h *Hyperparameter) Check(value any) error {
	v, wanted := reflect.ValueOf(value), ""
	kind := h.field.Type.Kind()
	switch integer := v.Kind() == reflect.Int; {
	case v.Kind() != kind && !(integer && kind == reflect.Float64):
		wanted = fieldKinds[kind].one
	case v.CanFloat() || integer:
		if !h.inRange(v.Convert(reflect.TypeFor[float64]()).Float()) {
			wanted = h.allowed
		}
	case kind == reflect.String && v.Len() > 0 && h.Words != nil && !slices.Contains(h.Words, v.String()):
		wanted = "one of " + strings.Join(h.Words, ", ")
	}
	if wanted == "" {
		return nil
	}
	return fmt.Errorf("%s %v: %s is needed", h.Flag(), value, wanted)
}

// parseRange returns what the tag "range" allows, also in words. Without it, that is every finite number.
func parseRange(tag string) (in func(float64) bool, words string, err error) {
	if tag == "" {
		return func(v float64) bool { return math.Abs(v) <= math.MaxFloat64 }, "a finite number", nil
	}
	if len(tag) < 3 || !strings.Contains("([", tag[:1]) || !strings.Contains(")]", tag[len(tag)-1:]) {
		return nil, "", fmt.Errorf("range %s: write, say, (0,1]", tag)
	}
	low, high, _ := strings.Cut(tag[1:len(tag)-1], ",")
	least, err := strconv.ParseFloat(low, 64)
	most := math.Inf(1)
	if high != "" && err == nil {
		most, err = strconv.ParseFloat(high, 64)
	}
	if err != nil {
		return nil, "", fmt.Errorf("range %s: write, say, (0,1]", tag)
	}
	above, below := tag[0] == '(', tag[len(tag)-1] == ')'
	if words = "at least " + low; above {
		words = "more than " + low
	}
	if high != "" && below {
		words += " and less than " + high
	} else if high != "" {
		words += " and at most " + high
	}
	return func(v float64) bool { return (v > least || v == least && !above) && (v < most || v == most && !below) }, words, nil
}

// value returns the value in a setting.
func (h *Hyperparameter) value(c *Config) reflect.Value {
	switch {
	case !h.own:
		return reflect.ValueOf(c).Elem().FieldByIndex(h.field.Index)
	case c.own == nil: // not of DefaultConfig
		return reflect.Zero(h.field.Type)
	}
	return reflect.ValueOf(c.own).FieldByIndex(h.field.Index)
}

// set sets the value in a setting.
func (h *Hyperparameter) set(c *Config, value reflect.Value) {
	if value = value.Convert(h.field.Type); h.own {
		c.own = withField(c.own, h.field.Name, value)
	} else {
		h.value(c).Set(value)
	}
}

// withField returns a pooling with another value of a field.
func withField(p synlayer.Pooling, field string, value reflect.Value) synlayer.Pooling {
	changed := reflect.New(reflect.TypeOf(p)).Elem()
	changed.Set(reflect.ValueOf(p))
	changed.FieldByName(field).Set(value)
	return changed.Interface().(synlayer.Pooling)
}
