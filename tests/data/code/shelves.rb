# frozen_string_literal: true

require "set"
require_relative "volumes"

# The harbour library.
module Harbour
  # As many as fit on oak.
  CAPACITY = 40

  class Full < StandardError; end

  Place = Struct.new(:row, :metres) do
    def to_s
      "#{row}/#{metres}"
    end
  end

  # A shelf with room for so many volumes.
  class Shelf < Furniture
    include Enumerable

    SIDES = %w[left right].freeze

    attr_reader :label

    class << self
      # The desk's own way in.
      def open(label)
        new(label)
      end
    end

    # Made with a label only.
    def initialize(label)
      @label = label
      @volumes = []
    end

    def self.default
      new("größer: 漢字")
    end

    # Puts one volume in its place.
    #
    # Raises Full.
    def put(volume, force: false)
      raise Full if full? && !force

      @volumes << volume
      self
    end

    def each(&block) = @volumes.each(&block)

    def full?
      @volumes.size >= CAPACITY
    end

    def <<(volume)
      put(volume)
    end

    def label=(text)
      @label = <<~TEXT
        def not_a_method
          #{text}
        end
      TEXT
    end

    private

    def secret; end

    # Nobody calls it.
    private_class_method def self.hidden
    end
  end

  module Desk
    extend self

    def lend(title, days = 28)
      puts title
    end

    class Harbour::Drawer
      def pull
      end
    end
  end
end

class Harbour::Shelf
  def reopened?
    true
  end
end

if RUBY_ENGINE == "ruby"
  def fast(value)
    value
  end
end

def helper(value)
  value.to_s
end

alias quick helper

helper(1)
