package learners

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"synpool/internal/spelling"
)

// objectOf returns the fields of a JSON object.
func objectOf(text json.RawMessage) (values map[string]json.RawMessage, err error) {
	if err := json.Unmarshal(text, &values); err != nil || values == nil {
		return nil, fmt.Errorf(`%.100q is no JSON object; write, say, '{"c":3}'`, text)
	}
	return values, nil
}

// overwrite sets fields of the struct that into points to. An error names the field, and beside has the names of fields that are
// set elsewhere.
func overwrite(into any, values map[string]json.RawMessage, beside ...string) error {
	known := fieldNames(reflect.TypeOf(into).Elem())
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if !slices.Contains(known, name) {
			return fmt.Errorf("there is no field %q; %s", name, spelling.Hint(name, append(known, beside...)))
		}
		one, err := json.Marshal(map[string]json.RawMessage{name: values[name]})
		if err != nil {
			return err
		}
		d := json.NewDecoder(bytes.NewReader(one))
		d.DisallowUnknownFields()
		err = d.Decode(into)
		if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
			return fmt.Errorf("%s %.60s: a value of type %v is needed", name, values[name], wrong.Type)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// fieldNames returns the JSON names of the fields of a struct.
func fieldNames(t reflect.Type) (names []string) {
	for _, f := range reflect.VisibleFields(t) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" {
			names = append(names, name)
		}
	}
	return names
}
