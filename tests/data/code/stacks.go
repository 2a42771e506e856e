// Copyright 2026 The Harbour Library.

// Package stacks counts volumes.
package stacks

import (
	"errors"
	"fmt"
)

// ErrFull is returned when no place is left.
var ErrFull = errors.New("stack full 📚")

const (
	low  = 1
	high = 99
)

// Stack is a pile of volumes.
type Stack[T any] struct {
	volumes []T
	label   string // 棚
}

type (
	// Mover moves stacks.
	Mover interface {
		Move(to string) error
	}

	Place = string
)

// New makes a stack.
func New[T any](label string) *Stack[T] {
	return &Stack[T]{label: label}
}

// Push puts a volume on top.
func (s *Stack[T]) Push(volume T) error {
	if len(s.volumes) >= high {
		return ErrFull
	}
	s.volumes = append(s.volumes, volume)
	return nil
}

func (s Stack[T]) String() string { return fmt.Sprintf("%s 🗄", s.label) }

func describe(
	stack fmt.Stringer,
	places ...Place,
) (string, error) {
	return stack.String(), nil
}
