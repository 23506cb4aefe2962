/// The colours of the page for the report, whose reader may choose between light and dark.
enum Palette {
    /// Rules with the colours of the first two blocks of `:root` in `css`: those for a light scheme and for a dark one.
    static func style(from css: String) -> String {
        let blocks = css.split(separator: ":root {").dropFirst().map { block in
            block.prefix { $0 != "}" }.split(separator: "\n").map { $0.drop { $0 == " " } }
                .filter { $0.hasPrefix("--") && $0.contains(": #") }.joined(separator: " ")
        }
        guard blocks.count >= 2 else { return "" }
        return """
            :root { color-scheme: light dark; \(blocks[0]) }
            @media (prefers-color-scheme: dark) { :root:not([data-scheme="light"]) { \(blocks[1]) } }
            :root[data-scheme="light"] { color-scheme: light; }
            :root[data-scheme="dark"] { color-scheme: dark; \(blocks[1]) }

            """
    }
}
