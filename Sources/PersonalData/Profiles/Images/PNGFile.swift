import CZlib

/// A PNG file, written again without metadata (PNG, third edition, W3C 2025).
///
/// Only the chunks of `kept` remain, so not the texts, the time, EXIF, or what follows the end. Of
/// an animation its default picture remains, which is the one that a decoder without animations
/// shows. Attack: a small file with thousands of frames, each as large as the picture. Of a colour
/// profile the space remains, if it is known.
struct PNGFile {
    static let signature: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]

    /// The chunks that show the picture, with the lengths that they may have, so that nothing can
    /// be added to one. Compressed pixels have any length.
    private static let kept: [String: ClosedRange<Int>] = [
        "IHDR": 13...13, "PLTE": 3...768, "IDAT": 0...Int.max, "IEND": 0...0, "tRNS": 1...256,
        "gAMA": 4...4, "cHRM": 32...32, "sRGB": 1...1, "sBIT": 1...4,
    ]
    /// Bit 5 of the first letter: a decoder may ignore the chunk.
    private static let ancillaryBit: UInt8 = 0x20

    let bytes: [UInt8]
    let size: PhotoSize

    /// Nil for a file of another form, and one that ends early.
    init?(_ file: [UInt8]) {
        var reader = ByteCursor(file.dropFirst(Self.signature.count))
        var (bytes, size, hasPixels) = (Self.signature, PhotoSize?.none, false)
        var hasProfile = false
        while let chunk = Chunk(&reader) {
            if chunk.type == "iCCP", size != nil, !hasProfile {
                hasProfile = true
                bytes += Self.profile(chunk.content).map(Self.profileChunk) ?? []
                continue
            }
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

    /// The longest profile that is looked at, in bytes; those of displays and cameras have about
    /// 3,000. Attack: a few bytes that expand to gigabytes.
    private static let profileBytesMax = 65_536
    /// The name of our profile in the chunk, its end, and the only compression that there is.
    private static let profileHead = Array("icc".utf8) + [0, 0]

    /// The space of a compressed profile, behind its name.
    private static func profile(_ content: ArraySlice<UInt8>) -> ColourProfile? {
        guard let end = content.firstIndex(of: 0) else { return nil }
        let packed = Array(content[end...].dropFirst(2))
        var count = uLongf(profileBytesMax)
        let icc = [UInt8](unsafeUninitializedCapacity: profileBytesMax) { buffer, filled in
            let code = uncompress(buffer.baseAddress, &count, packed, uLong(packed.count))
            filled = code == Z_OK ? Int(count) : 0
        }
        return ColourProfile(of: icc)
    }

    /// Our profile of a space. It is stored without compression (RFC 1951, 3.2.4), so that the same
    /// photo gives the same bytes with each version of zlib.
    private static func profileChunk(_ space: ColourProfile) -> [UInt8] {
        let icc = space.icc
        let sum = icc.withUnsafeBufferPointer { adler32(1, $0.baseAddress, uInt($0.count)) }
        var content = Array("iCCP".utf8) + profileHead + [0x78, 0x01, 0x01]
        content += icc.count.littleEndianBytes(2) + (~icc.count).littleEndianBytes(2)
        content += icc + Int(sum).bigEndianBytes(4)
        var checksum = CRC32()
        checksum.append(content)
        return (content.count - 4).bigEndianBytes(4) + content
            + Int(checksum.value).bigEndianBytes(4)
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
