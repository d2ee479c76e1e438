/// How a picture has to be turned before it is shown (EXIF 2.32, 4.6.4, tag 0x0112). It is the one
/// field of EXIF that is kept: without it, most photos of phones would be shown on their side.
struct ExifOrientation: Hashable, Sendable {
    private static let tag = 0x0112
    private static let shortType = 3
    /// Upright, as without EXIF.
    private static let upright = 1
    private static let values = 1...8

    /// From 2 to 8.
    private let value: Int

    /// Whether width and height change places.
    var isTransposed: Bool { value >= 5 }

    /// Reads it from a TIFF structure. Nil if there is none that can be read, or it is upright.
    init?(tiff: ArraySlice<UInt8>) {
        let isBig = tiff.starts(with: [0x4d, 0x4d, 0, 42])
        guard isBig || tiff.starts(with: [0x49, 0x49, 42, 0]) else { return nil }
        func number(_ count: Int, _ reader: inout ByteCursor) -> Int? {
            isBig ? reader.bigEndian(count) : reader.littleEndian(count)
        }
        var header = ByteCursor(tiff.dropFirst(4))
        guard let offset = number(4, &header), offset <= tiff.count else { return nil }
        var directory = ByteCursor(tiff.dropFirst(offset))
        guard let count = number(2, &directory) else { return nil }
        for _ in 0..<count {
            guard let tag = number(2, &directory), let type = number(2, &directory),
                number(4, &directory) != nil, let value = number(2, &directory),
                directory.take(2) != nil
            else { return nil }
            guard tag == Self.tag else { continue }
            guard type == Self.shortType, Self.values.contains(value), value != Self.upright else {
                return nil
            }
            self.value = value
            return
        }
        return nil
    }

    /// A TIFF structure with nothing else.
    var tiff: [UInt8] {
        let entry = [Self.tag.bigEndianBytes(2), Self.shortType.bigEndianBytes(2)]
        let header: [UInt8] = [0x4d, 0x4d, 0, 42, 0, 0, 0, 8]
        return header + 1.bigEndianBytes(2) + entry.joined() + 1.bigEndianBytes(4)
            + value.bigEndianBytes(2) + [0, 0] + 0.bigEndianBytes(4)
    }
}
