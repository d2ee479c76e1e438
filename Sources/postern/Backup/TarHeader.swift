/// The header of a file in a tar archive (POSIX.1-2017, pax, "ustar Interchange Format"): a block
/// of 512 bytes before the file's content. All fields but name, length and time are constant.
///
/// A length from 8 GiB on does not fit the eleven octal digits of ustar. It is written in GNU's
/// form, base 256 behind a byte 0x80, which GNU tar, bsdtar and libarchive read.
struct TarHeader: Hashable, Sendable {
    /// The unit of an archive: contents are padded to it with zeros.
    static let blockBytes = 512
    /// The first length that is not written in octal.
    private static let octalEnd: Int64 = 1 << 33

    let entry: BackupEntry
    /// The content's length in bytes.
    let byteCount: Int64
    /// When the file was last changed, in seconds since 1970.
    let changedAt: Int64

    /// The zeros after the content.
    var paddingCount: Int { Int(-byteCount & Int64(Self.blockBytes - 1)) }

    /// The header's block.
    var block: [UInt8] {
        var block = [UInt8](repeating: 0, count: Self.blockBytes)
        func put(_ text: String, at offset: Int) {
            for (index, byte) in text.utf8.enumerated() { block[offset + index] = byte }
        }
        put(entry.name, at: Field.name.lowerBound)
        put("0000600", at: Field.mode)
        put("0000000", at: Field.user)
        put("0000000", at: Field.group)
        if byteCount < Self.octalEnd {
            put(Self.octal(byteCount, digits: 11), at: Field.size.lowerBound)
        } else {
            block[Field.size.lowerBound] = 0x80
            for index in 0..<8 {
                block[Field.size.upperBound - 1 - index] = UInt8(
                    truncatingIfNeeded: byteCount >> Int64(8 * index))
            }
        }
        put(Self.octal(changedAt, digits: 11), at: Field.time.lowerBound)
        put("0", at: Field.type)
        put("ustar", at: Field.magic)
        put("00", at: Field.version)
        // The sum is taken with spaces in its own place.
        put("        ", at: Field.checksum)
        let sum = block.reduce(0) { $0 + Int64($1) }
        put(Self.octal(sum, digits: 6) + "\0 ", at: Field.checksum)
        return block
    }

    /// A header for a file that is written now.
    /// - Precondition: `byteCount` and `changedAt` are not negative and `changedAt` is before the
    ///   year 2242, where its octal digits end.
    init(_ entry: BackupEntry, byteCount: Int64, changedAt: Int64) {
        precondition(byteCount >= 0 && (0..<Self.octalEnd).contains(changedAt))
        self.entry = entry
        self.byteCount = byteCount
        self.changedAt = changedAt
    }

    /// Nil for any block that `block` would not write in the same way. So no field has to be
    /// checked by itself: not the sum, nor the type, which could make a link of it.
    init?(_ block: [UInt8]) {
        guard block.count == Self.blockBytes,
            let entry = BackupEntry(Self.text(block[Field.name])),
            let byteCount = Self.size(block[Field.size]),
            let changedAt = Self.number(block[Field.time])
        else { return nil }
        self.init(entry, byteCount: byteCount, changedAt: changedAt)
        guard self.block == block else { return nil }
    }

    /// The places of the fields.
    private enum Field {
        static let name = 0..<100
        static let mode = 100
        static let user = 108
        static let group = 116
        static let size = 124..<136
        static let time = 136..<148
        static let checksum = 148
        static let type = 156
        static let magic = 257
        static let version = 263
    }

    private static func octal(_ number: Int64, digits: Int) -> String {
        let text = String(number, radix: 8)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }

    private static func text(_ field: ArraySlice<UInt8>) -> String {
        String(decoding: field.prefix { $0 != 0 }, as: UTF8.self)
    }

    private static func size(_ field: ArraySlice<UInt8>) -> Int64? {
        guard field.first == 0x80 else { return number(field) }
        let number = field.suffix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return Int64(exactly: number)
    }

    private static func number(_ field: ArraySlice<UInt8>) -> Int64? {
        guard let number = Int64(text(field), radix: 8), (0..<octalEnd).contains(number) else {
            return nil
        }
        return number
    }
}
