/// A WebP file, written again without metadata (RFC 9649).
///
/// One picture remains: of an animation its first frame. Attack: a small file with thousands of
/// frames, each as large as the canvas. Of a colour profile the space remains, if it is known, of
/// EXIF the orientation, and nothing of XMP, of unknown chunks, and after the end.
struct WebPFile {
    /// Flags of the extended header.
    private static let (profileFlag, alphaFlag, exifFlag): (UInt8, UInt8, UInt8) = (
        0x20, 0x10, 0x08
    )
    private static let headerBytes = 10
    private static let frameHeaderBytes = 16

    let bytes: [UInt8]
    let size: PhotoSize

    /// Nil for a file of another form, and one that ends early.
    init?(_ file: [UInt8]) {
        var riff = ByteCursor(file.dropFirst(4))
        guard let length = riff.littleEndian(4), let content = riff.take(length) else {
            return nil
        }
        var reader = ByteCursor(content.dropFirst(4))
        guard let first = Chunk(&reader) else { return nil }
        let read: (chunks: [UInt8], size: PhotoSize)?
        if first.type == "VP8X" {
            read = Self.extended(first.content, &reader)
        } else {
            read = Self.frameSize(first).map { (first.bytes, $0) }
        }
        guard let read else { return nil }
        let body = Array("WEBP".utf8) + read.chunks
        bytes = Array("RIFF".utf8) + body.count.littleEndianBytes(4) + body
        size = read.size
    }

    /// A file with an extended header. The canvas of the new file has the size of its picture.
    private static func extended(
        _ header: ArraySlice<UInt8>, _ reader: inout ByteCursor
    ) -> ([UInt8], PhotoSize)? {
        guard header.count == headerBytes, let flags = header.first else { return nil }
        var (found, picture) = (Picture(), Picture?.none)
        var orientation: ExifOrientation?
        var profile: ColourProfile?
        while !reader.isAtEnd {
            guard let chunk = Chunk(&reader) else { return nil }
            switch chunk.type {
            case "ICCP": profile = profile ?? ColourProfile(of: chunk.content)
            case "ALPH", "VP8 ", "VP8L":
                guard found.add(chunk) else { return nil }
                if found.size != nil { picture = picture ?? found }
            case "ANMF":
                guard let frame = animationFrame(chunk.content) else { return nil }
                picture = picture ?? frame
            case "EXIF": orientation = orientation ?? Self.orientation(chunk.content)
            default: break
            }
        }
        guard let picture, var size = picture.size else { return nil }
        var kept = flags & alphaFlag
        var chunks: [UInt8] = []
        if let profile {
            kept |= profileFlag
            chunks += Chunk(type: "ICCP", content: profile.icc[...]).bytes
        }
        chunks += picture.bytes
        let canvas = [size.width, size.height].flatMap { ($0 - 1).littleEndianBytes(3) }
        if let orientation {
            kept |= exifFlag
            chunks += Chunk(type: "EXIF", content: orientation.tiff[...]).bytes
            if orientation.isTransposed {
                size = PhotoSize(width: size.height, height: size.width)
            }
        }
        let rewritten = [kept, 0, 0, 0] + canvas
        return (Chunk(type: "VP8X", content: rewritten[...]).bytes + chunks, size)
    }

    /// Compressed pixels, and the alpha channel before them.
    private struct Picture {
        private var alpha: [UInt8] = []
        private(set) var bytes: [UInt8] = []
        /// Nil until the pixels were added.
        private(set) var size: PhotoSize?

        /// Takes the first chunk of each kind. Lossless pixels (`VP8L`) have their own alpha.
        /// - Returns: false for pixels without a size.
        mutating func add(_ chunk: Chunk) -> Bool {
            if chunk.type == "ALPH" {
                if alpha.isEmpty { alpha = chunk.bytes }
                return true
            }
            guard let frame = WebPFile.frameSize(chunk) else { return false }
            guard size == nil else { return true }
            size = frame
            bytes = (chunk.type == "VP8 " ? alpha : []) + chunk.bytes
            return true
        }
    }

    private static func orientation(_ exif: ArraySlice<UInt8>) -> ExifOrientation? {
        // Some programs write the prefix that JPEG has.
        let prefix = Array("Exif\0\0".utf8)
        return ExifOrientation(
            tiff: exif.starts(with: prefix) ? exif.dropFirst(prefix.count) : exif)
    }

    /// The picture of a frame of an animation, without place, duration and unknown chunks; nil if it
    /// has none.
    private static func animationFrame(_ content: ArraySlice<UInt8>) -> Picture? {
        var reader = ByteCursor(content)
        guard reader.take(frameHeaderBytes) != nil else { return nil }
        var picture = Picture()
        while !reader.isAtEnd {
            guard let chunk = Chunk(&reader) else { return nil }
            guard ["ALPH", "VP8 ", "VP8L"].contains(chunk.type) else { continue }
            guard picture.add(chunk) else { return nil }
        }
        return picture.size == nil ? nil : picture
    }

    /// The size in the header of compressed pixels; nil if the chunk has none.
    private static func frameSize(_ chunk: Chunk) -> PhotoSize? {
        var reader = ByteCursor(chunk.content)
        switch chunk.type {
        case "VP8 ":
            // RFC 6386, 9.1: a key frame, with its start code.
            guard let tag = reader.littleEndian(3), tag & 1 == 0,
                reader.take(3).map({ $0.elementsEqual([0x9d, 0x01, 0x2a]) }) == true,
                let width = reader.littleEndian(2), let height = reader.littleEndian(2)
            else { return nil }
            return PhotoSize(width: width & 0x3fff, height: height & 0x3fff)
        case "VP8L":
            guard reader.byte() == 0x2f, let bits = reader.littleEndian(4) else { return nil }
            return PhotoSize(width: bits & 0x3fff + 1, height: bits >> 14 & 0x3fff + 1)
        default: return nil
        }
    }

    private struct Chunk {
        let type: String
        let content: ArraySlice<UInt8>

        /// With its type, length and padding.
        var bytes: [UInt8] {
            Array(type.utf8) + content.count.littleEndianBytes(4) + content
                + (content.count.isMultiple(of: 2) ? [] : [0])
        }

        init(type: String, content: ArraySlice<UInt8>) {
            self.type = type
            self.content = content
        }

        init?(_ reader: inout ByteCursor) {
            guard let type = reader.take(4), let length = reader.littleEndian(4),
                let content = reader.take(length),
                length.isMultiple(of: 2) || reader.take(1) != nil
            else { return nil }
            self.type = String(decoding: type, as: UTF8.self)
            self.content = content
        }
    }
}
