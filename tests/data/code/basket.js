/*! basket.js - a basket for loans. MIT */
"use strict";

const fs = require("fs");
const { join } = require("path");

const LIMIT = 12;
let counter = 0;

/**
 * Adds a title to the basket.
 * @param {string} title 本のタイトル
 */
function add(title) {
  counter += 1;
  return title + "📕";
}

const remove = (title) => {
  counter -= 1;
};

const total = function () { return counter; };

class Basket extends Map {
  static limit = LIMIT;
  #owner = "nobody";

  constructor(owner) {
    super();
    this.#owner = owner;
  }

  // Whose basket it is.
  get owner() {
    return this.#owner;
  }

  onChange = (event) => {
    this.set(event.title, event);
  };

  async *[Symbol.asyncIterator]() {
    yield* this.keys();
  }
}

function List({ titles }) {
  return (
    <ul className="titles">
      {titles.map((title) => (
        <li key={title}>{title} 📗</li>
      ))}
    </ul>
  );
}

Basket.prototype.clearAll = function clearAll() {
  this.clear();
};

exports.save = async function (path) {
  fs.writeFileSync(join(path, "basket.json"), "{}");
};

(function () {
  function hidden() {
    return 1;
  }
  hidden();
})();

export default function main() {
  add("x");
}
