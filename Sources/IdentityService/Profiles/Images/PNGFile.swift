/// A PNG file, written again without metadata (PNG, third edition, W3C 2025).
///
/// Only the chunks of `kept` remain, so not the texts, the time, EXIF, or what follows the end.
struct PNGFile {
    static let signature: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]

    /// The chunks that show the picture, with the lengths that they may have, so that nothing can
    /// be added to one. A profile (`iCCP`) and compressed pixels have any length.
    private static let kept: [String: ClosedRange<Int>] = [
        "IHDR": 13...13, "PLTE": 3...768, "IDAT": 0...Int.max, "IEND": 0...0, "tRNS": 1...256,
        "gAMA": 4...4, "cHRM": 32...32, "sRGB": 1...1, "iCCP": 0...Int.max, "sBIT": 1...4,
        "acTL": 8...8, "fcTL": 26...26, "fdAT": 4...Int.max,
    ]
    /// Bit 5 of the first letter: a decoder may ignore the chunk.
    private static let ancillaryBit: UInt8 = 0x20

    let bytes: [UInt8]
    let size: PhotoSize

    /// Nil for a file of another form, and one that ends early.
    init?(_ file: [UInt8]) {
        var reader = ByteCursor(file.dropFirst(Self.signature.count))
        var (bytes, size, hasPixels) = (Self.signature, PhotoSize?.none, false)
        while let chunk = Chunk(&reader) {
            guard let lengths = Self.kept[chunk.type] else {
                guard let first = chunk.type.utf8.first, first & Self.ancillaryBit != 0 else {
                    return nil
                }
                continue
            }
            // The header is first, and there is one.
            guard lengths.contains(chunk.content.count), (chunk.type == "IHDR") == (size == nil)
            else { return nil }
            bytes += chunk.whole
            switch chunk.type {
            case "IHDR": size = Self.size(chunk.content)
            case "IDAT": hasPixels = true
            case "IEND":
                guard hasPixels, let size else { return nil }
                self.bytes = bytes
                self.size = size
                return
            default: break
            }
        }
        return nil
    }

    private static func size(_ header: ArraySlice<UInt8>) -> PhotoSize? {
        var reader = ByteCursor(header)
        guard let width = reader.bigEndian(4), let height = reader.bigEndian(4) else { return nil }
        return PhotoSize(width: width, height: height)
    }

    private struct Chunk {
        let type: String
        let content: ArraySlice<UInt8>
        /// With its length and checksum.
        let whole: ArraySlice<UInt8>

        init?(_ reader: inout ByteCursor) {
            let upcoming = reader.upcoming
            guard let length = reader.bigEndian(4), let type = reader.take(4),
                let content = reader.take(length), reader.take(4) != nil
            else { return nil }
            self.type = String(decoding: type, as: UTF8.self)
            self.content = content
            whole = upcoming.prefix(12 + length)
        }
    }
}
