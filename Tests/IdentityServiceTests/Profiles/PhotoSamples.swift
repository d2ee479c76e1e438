/// Small files of each format, with canaries in every place where metadata can be.
enum PhotoSamples {
    /// What no cleaned photo may contain.
    static let canary = "GPS-canary"
    private static let exif = Array("Exif\0\0".utf8)
    private static let secret = Array(canary.utf8)

    // MARK: JPEG

    /// - Parameter orientation: of the EXIF, which also has a canary.
    static func jpeg(
        width: Int = 40, height: Int = 30, orientation: Int = 1, metadata: Bool = true
    ) -> [UInt8] {
        let tags: [[UInt8]] = [
            segment(0xe1, exif + tiff(orientation) + secret),
            segment(0xe1, Array("http://ns.adobe.com/xap/1.0/\0".utf8) + secret),
            segment(0xe0, Array("JFXX\0".utf8) + secret),
            segment(0xe2, Array("MPF\0".utf8) + secret), segment(0xed, secret),
            segment(0xfe, secret), segment(0xef, secret),
        ]
        // A thumbnail of one pixel behind the header.
        let jfif = Array("JFIF\0".utf8) + [1, 2, 0, 0, 1, 0, 1, 1, 1, 7, 8, 9]
        var file: [UInt8] = [0xff, 0xd8] + segment(0xe0, jfif)
        if metadata { file += tags.joined() }
        file += segment(0xe2, Array("ICC_PROFILE\0".utf8) + [1, 1, 5])
        file += segment(0xee, Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, 1])
        file += segment(0xdb, [UInt8](repeating: 1, count: 65))
        file += segment(
            0xc2, [8] + big(height, 2) + big(width, 2) + [1, 1, 0x11, 0])
        file += segment(0xc4, [UInt8](repeating: 0, count: 18))
        file += segment(0xda, [1, 1, 0, 0, 63, 0]) + [1, 0xff, 0, 2, 0xff, 0xd0, 3]
        // Another scan, as progressive files have.
        file += [0xff] + segment(0xda, [1, 1, 0, 0, 63, 0]) + [4, 5] + [0xff, 0xd9]
        return file + (metadata ? secret : [])
    }

    private static func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
        [0xff, marker] + big(content.count + 2, 2) + content
    }

    /// A TIFF structure with a maker and an orientation, the lowest bytes first.
    private static func tiff(_ orientation: Int) -> [UInt8] {
        [0x49, 0x49, 42, 0, 8, 0, 0, 0, 2, 0]
            + [0x0f, 0x01, 2, 0, 1, 0, 0, 0, 65, 0, 0, 0]
            + [0x12, 0x01, 3, 0, 1, 0, 0, 0, UInt8(orientation), 0, 0, 0]
    }

    // MARK: PNG

    static func png(width: Int = 40, height: Int = 30, metadata: Bool = true) -> [UInt8] {
        var file: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
        file += chunk("IHDR", big(width, 4) + big(height, 4) + [8, 3, 0, 0, 0])
        if metadata {
            for type in ["tEXt", "iTXt", "zTXt", "eXIf", "tIME", "prVt"] {
                file += chunk(type, secret)
            }
        }
        file += chunk("gAMA", [0, 0, 1, 1]) + chunk("PLTE", [1, 2, 3]) + chunk("tRNS", [1])
        file += chunk("IDAT", [1, 2]) + chunk("IDAT", [3]) + chunk("IEND", [])
        return file + (metadata ? secret : [])
    }

    static func chunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
        big(content.count, 4) + Array(type.utf8) + content + [0xc, 0xc, 0xc, 0xc]
    }

    // MARK: WebP

    /// The pixels of a lossy picture, as far as they are read.
    static func vp8(width: Int, height: Int) -> [UInt8] {
        riffChunk("VP8 ", [0x10, 0, 0, 0x9d, 1, 0x2a] + little(width, 2) + little(height, 2) + [9])
    }

    static func simpleWebP(width: Int = 40, height: Int = 30, lossless: Bool = false) -> [UInt8] {
        guard lossless else { return riff(vp8(width: width, height: height)) }
        let bits = (width - 1) | (height - 1) << 14
        return riff(riffChunk("VP8L", [0x2f] + little(bits, 4) + [1]))
    }

    /// An animation with an EXIF, an XMP, an unknown chunk in the file and one in a frame.
    static func animatedWebP(
        width: Int = 40, height: Int = 30, orientation: Int = 1, frames: Int = 2
    ) -> [UInt8] {
        let canary = riffChunk("XYZ ", secret)
        let frame = [UInt8](repeating: 0, count: 16) + vp8(width: width, height: height) + canary
        var chunks = riffChunk(
            "VP8X", [0x2e, 0, 0, 0] + little(width - 1, 3) + little(height - 1, 3))
        chunks += riffChunk("ANIM", [0, 0, 0, 0, 0, 0])
        for _ in 0..<frames { chunks += riffChunk("ANMF", frame) }
        chunks += riffChunk("EXIF", exif + tiff(orientation) + secret)
        chunks += riffChunk("XMP ", secret) + canary
        return riff(chunks) + secret
    }

    /// The types of the chunks of a PNG or a WebP, in their order.
    static func chunkTypes(_ file: [UInt8]) -> [String] {
        let isPNG = file.first == 0x89
        var (types, at) = ([String](), isPNG ? 8 : 12)
        while at + 8 <= file.count {
            let (type, length) = isPNG ? (at + 4, at) : (at, at + 4)
            types.append(String(decoding: file[type..<type + 4], as: UTF8.self))
            let bytes = file[length..<length + 4]
            let count = (isPNG ? Array(bytes) : bytes.reversed()).reduce(0) { $0 << 8 | Int($1) }
            at += 8 + count + (isPNG ? 4 : count % 2)
        }
        return types
    }

    private static func riff(_ chunks: [UInt8]) -> [UInt8] {
        Array("RIFF".utf8) + little(chunks.count + 4, 4) + Array("WEBP".utf8) + chunks
    }

    private static func riffChunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
        Array(type.utf8) + little(content.count, 4) + content
            + (content.count.isMultiple(of: 2) ? [] : [0])
    }

    static let all = [
        jpeg(), jpeg(orientation: 6), png(), simpleWebP(), simpleWebP(lossless: true),
        animatedWebP(), animatedWebP(orientation: 8),
    ]

    private static func big(_ number: Int, _ count: Int) -> [UInt8] {
        little(number, count).reversed()
    }

    private static func little(_ number: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
}
