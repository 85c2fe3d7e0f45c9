package toolwasm

import "encoding/json"

// property is an argument in a JSON Schema.
type property struct {
	Type        string              `json:"type"`
	Description string              `json:"description,omitempty"`
	Enum        []string            `json:"enum,omitempty"`
	Minimum     *int64              `json:"minimum,omitempty"`
	Maximum     *int64              `json:"maximum,omitempty"`
	Items       *items              `json:"items,omitempty"`
	Additional  *additionalProperty `json:"additionalProperties,omitempty"`
}

type items struct {
	Type string `json:"type"`
	*object
}

type additionalProperty struct {
	Type string `json:"type"`
}

type object struct {
	Properties orderedProperties `json:"properties"`
	Required   []string          `json:"required"`
	Additional bool              `json:"additionalProperties"`
}

// orderedProperties are written in the order in which the arguments are described: models fill them in that order.
type orderedProperties []namedProperty

type namedProperty struct {
	name string
	property
}

// MarshalJSON implements json.Marshaler.
func (o orderedProperties) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for i, p := range o {
		if i > 0 {
			out = append(out, ',')
		}
		name, err := json.Marshal(p.name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(p.property)
		if err != nil {
			return nil, err
		}
		out = append(append(append(out, name...), ':'), value...)
	}
	return append(out, '}'), nil
}

// Schema is the JSON Schema of the tool's arguments.
func (t Tool) Schema() json.RawMessage {
	raw, err := json.Marshal(struct {
		Type string `json:"type"`
		object
	}{typeObject, objectOf(t.Arguments)})
	if err != nil { // descriptions are ours and hold nothing that JSON cannot
		return json.RawMessage(`{"type":"object"}`)
	}
	return raw
}

func objectOf(arguments []Argument) object {
	o := object{Required: []string{}}
	for _, a := range arguments {
		p := property{Type: a.Type, Description: a.About, Enum: a.Enum, Minimum: a.Least, Maximum: a.Most}
		switch {
		case a.Items != nil:
			inner := objectOf(a.Items)
			p.Items = &items{Type: typeObject, object: &inner}
		case a.Of != "" && a.Type == typeArray:
			p.Items = &items{Type: a.Of}
		case a.Of != "":
			p.Additional = &additionalProperty{Type: a.Of}
		}
		o.Properties = append(o.Properties, namedProperty{a.Name, p})
		if a.Required {
			o.Required = append(o.Required, a.Name)
		}
	}
	return o
}
