/// A place in a source: where it begins and how much to underline.
package struct Mark: Hashable, Sendable {
    /// The line, from 1.
    package let line: Int

    /// The column, from 1, in Unicode scalars.
    package let column: Int

    /// The scalars to underline, at least 1. What goes on in further lines is not counted.
    package let length: Int

    /// A place of `length` scalars.
    package init(line: Int, column: Int, length: Int = 1) {
        self.line = line
        self.column = column
        self.length = max(length, 1)
    }
}
