internal import Glibc

/// A blurred preview in at most 25 bytes: the lowest frequencies of a picture's brightness, colours and transparency, in
/// Evan Wallace's form ThumbHash (https://evanw.github.io/thumbhash/).
package struct PreviewHash {
    /// A picture of no more pixels on a side is taken: more would change nothing.
    static let longestSide = 100
    /// No hash is longer.
    package static let longest = 25

    package let bytes: [UInt8]

    /// - Parameters:
    ///   - pixels: four bytes each, red, green, blue and opacity, row by row, not premultiplied.
    package init(width: Int, height: Int, pixels: some RandomAccessCollection<UInt8>) {
        precondition((1...Self.longestSide).contains(width) && (1...Self.longestSide).contains(height))
        precondition(pixels.count == width * height * 4)
        let planes = Planes(pixels)
        let most = planes.isOpaque ? 7.0 : 5.0
        let longer = Double(max(width, height))
        let columns = max(1, Int((most * Double(width) / longer).rounded()))
        let rows = max(1, Int((most * Double(height) / longer).rounded()))
        let transform = CosineTransform(width: width, height: height)
        let light = transform.terms(of: planes.light, max(3, columns), max(3, rows))
        let yellow = transform.terms(of: planes.yellow, 3, 3)
        let red = transform.terms(of: planes.red, 3, 3)
        let opacity = planes.isOpaque ? nil : transform.terms(of: planes.opacity, 5, 5)

        let isLandscape = width > height
        var header = Self.level(light.mean, 63)
        header |= Self.level(0.5 + 0.5 * yellow.mean, 63) << 6
        header |= Self.level(0.5 + 0.5 * red.mean, 63) << 12
        header |= Self.level(light.scale, 31) << 18
        header |= opacity == nil ? 0 : 1 << 23
        var rest = isLandscape ? rows : columns
        rest |= Self.level(yellow.scale, 63) << 3
        rest |= Self.level(red.scale, 63) << 9
        rest |= isLandscape ? 1 << 15 : 0
        var bytes = [header, header >> 8, header >> 16, rest, rest >> 8].map { UInt8(truncatingIfNeeded: $0) }
        if let opacity {
            bytes.append(UInt8(Self.level(opacity.mean, 15) | Self.level(opacity.scale, 15) << 4))
        }
        // Two terms a byte, the first in its low half.
        let terms = light.normalized + yellow.normalized + red.normalized + (opacity?.normalized ?? [])
        for index in stride(from: 0, to: terms.count, by: 2) {
            let high = index + 1 < terms.count ? Self.level(terms[index + 1], 15) : 0
            bytes.append(UInt8(Self.level(terms[index], 15) | high << 4))
        }
        self.bytes = bytes
    }

    /// A number from 0 to 1 as one of so many steps; halves go up.
    private static func level(_ number: Double, _ most: Int) -> Int {
        min(max(0, Int((number * Double(most) + 0.5).rounded(.down))), most)
    }
}

/// A picture's brightness, its colours as two differences, and its opacity; 0 to 1 or -1 to 1.
private struct Planes {
    var light: [Double] = []
    /// Yellow against blue.
    var yellow: [Double] = []
    /// Red against green.
    var red: [Double] = []
    var opacity: [Double] = []
    let isOpaque: Bool

    init(_ pixels: some RandomAccessCollection<UInt8>) {
        let values = Array(pixels)
        let count = values.count / 4
        var mean = (0.0, 0.0, 0.0)
        var weight = 0.0
        for at in stride(from: 0, to: values.count, by: 4) {
            let alpha = Double(values[at + 3]) / 255
            mean.0 += alpha / 255 * Double(values[at])
            mean.1 += alpha / 255 * Double(values[at + 1])
            mean.2 += alpha / 255 * Double(values[at + 2])
            weight += alpha
        }
        if weight > 0 { mean = (mean.0 / weight, mean.1 / weight, mean.2 / weight) }
        isOpaque = weight >= Double(count)
        for at in stride(from: 0, to: values.count, by: 4) {
            let alpha = Double(values[at + 3]) / 255
            // What is transparent has the mean colour.
            let r = mean.0 * (1 - alpha) + alpha / 255 * Double(values[at])
            let g = mean.1 * (1 - alpha) + alpha / 255 * Double(values[at + 1])
            let b = mean.2 * (1 - alpha) + alpha / 255 * Double(values[at + 2])
            light.append((r + g + b) / 3)
            yellow.append((r + g) / 2 - b)
            red.append(r - g)
            opacity.append(alpha)
        }
    }
}

/// The discrete cosine transform of a picture, its lowest terms only.
private struct CosineTransform {
    let width: Int
    let height: Int
    /// By the number of the wave, then by the pixel.
    private let across: [[Double]]
    private let down: [[Double]]

    struct Terms {
        var mean = 0.0
        var others: [Double] = []

        var scale: Double { others.reduce(0) { max($0, abs($1)) } }
        /// 0 to 1.
        var normalized: [Double] {
            let scale = scale
            return scale > 0 ? others.map { 0.5 + 0.5 / scale * $0 } : others
        }
    }

    init(width: Int, height: Int) {
        func waves(_ length: Int) -> [[Double]] {
            (0..<7).map { number in
                (0..<length).map { cos(Double.pi / Double(length) * Double(number) * (Double($0) + 0.5)) }
            }
        }
        self.width = width
        self.height = height
        across = waves(width)
        down = waves(height)
    }

    /// The terms in the triangle of the low ones, row by row, the mean first.
    func terms(of plane: [Double], _ columns: Int, _ rows: Int) -> Terms {
        var terms = Terms()
        for row in 0..<rows {
            var column = 0
            while column * rows < columns * (rows - row) {
                let value = term(of: plane, across[column], down[row])
                if row == 0, column == 0 { terms.mean = value } else { terms.others.append(value) }
                column += 1
            }
        }
        return terms
    }

    private func term(of plane: [Double], _ across: [Double], _ down: [Double]) -> Double {
        var sum = 0.0
        for y in 0..<height {
            var line = 0.0
            for x in 0..<width { line += plane[y * width + x] * across[x] }
            sum += line * down[y]
        }
        return sum / Double(width * height)
    }
}
