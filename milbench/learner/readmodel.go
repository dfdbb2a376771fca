package learner

import (
	"cmp"
	"encoding"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
)

// ReadModel decodes a model from JSON. A missing or null field is an error, and so is what the model's Validate method
// reports. The result predicts, or returns an error that says why not.
func (e Entry) ReadModel(text []byte) (Model, error) {
	if e.Model == nil {
		return nil, fmt.Errorf("model of %s: such models cannot be saved", e.Name)
	}
	m := e.Model()
	err := filled(text, reflect.TypeOf(m).Elem())
	if err == nil {
		err = json.Unmarshal(text, m)
	}
	if v, ok := m.(interface{ Validate() error }); ok && err == nil {
		err = v.Validate()
	}
	if err != nil {
		return nil, fmt.Errorf("model of %s: %w", e.Name, err)
	}
	return m, nil
}

// ReadFitted is [Entry.ReadModel] for a model of a setting, which may have a limit of instances.
func (e Entry) ReadFitted(setting, text json.RawMessage) (Model, error) {
	m, err := e.ReadModel(text)
	if n := e.Instances(setting); err == nil && n < math.MaxInt {
		return shortModel{m, &shortened{most: n}}, nil
	}
	return m, err
}

// Instances returns how many instances of a bag a setting takes at most ([cv.InstancesKey]); without a limit, it is the largest
// integer.
func (e Entry) Instances(setting json.RawMessage) int {
	if estimator, err := e.parse(setting); err == nil {
		if s, ok := estimator.(sampled); ok && s.instances > 0 {
			return s.instances
		}
	}
	return math.MaxInt
}

// filled reports a field that is missing in the JSON of a struct, or of structs inside it, embedded ones included.
// Fields with omitempty may be missing.
func filled(data []byte, t reflect.Type) error {
	if t.Kind() != reflect.Struct || readsItself(t) {
		return nil
	}
	var values map[string]json.RawMessage
	if err := json.Unmarshal(data, &values); err != nil {
		return err
	}
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous && f.Type.Kind() == reflect.Struct && f.Tag.Get("json") == "" { // its fields are those of t
			if err := filled(data, f.Type); err != nil {
				return err
			}
			continue
		}
		if !f.IsExported() || f.Tag.Get("json") == "-" {
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		name = cmp.Or(name, f.Name)
		value, found := values[name]
		if !found && options == "omitempty" {
			continue
		}
		if !found || string(value) == "null" {
			return fmt.Errorf("%s is missing", name)
		}
		inner := f.Type
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		if err := filled(value, inner); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// readsItself reports whether a type decodes itself.
func readsItself(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(reflect.TypeFor[json.Unmarshaler]()) || p.Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}
