/// A WebP file, written again without metadata (RFC 9649).
///
/// The chunks with pixels, the animation and the colour profile remain; of EXIF only the
/// orientation, and nothing of XMP, of unknown chunks, and after the end.
struct WebPFile {
    /// Flags of the extended header: colour profile, alpha, animation; EXIF.
    private static let (keptFlags, exifFlag): (UInt8, UInt8) = (0x32, 0x08)
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

    /// A file with an extended header. Its frames have the size of the canvas or less; a decoder
    /// may look at either.
    private static func extended(
        _ header: ArraySlice<UInt8>, _ reader: inout ByteCursor
    ) -> ([UInt8], PhotoSize)? {
        var fields = ByteCursor(header)
        guard header.count == headerBytes, let flags = fields.byte(), fields.take(3) != nil,
            let width = fields.littleEndian(3), let height = fields.littleEndian(3)
        else { return nil }
        var size = PhotoSize(width: width + 1, height: height + 1)
        var (chunks, hasPixels) = ([UInt8](), false)
        var orientation: ExifOrientation?
        while !reader.isAtEnd {
            guard let chunk = Chunk(&reader) else { return nil }
            switch chunk.type {
            case "ICCP", "ANIM", "ALPH": chunks += chunk.bytes
            case "VP8 ", "VP8L":
                guard let frame = frameSize(chunk) else { return nil }
                (size, hasPixels) = (size.union(frame), true)
                chunks += chunk.bytes
            case "ANMF":
                guard let frame = animationFrame(chunk.content) else { return nil }
                (size, hasPixels) = (size.union(frame.size), true)
                chunks += frame.chunk.bytes
            case "EXIF": orientation = orientation ?? Self.orientation(chunk.content)
            default: break
            }
        }
        guard hasPixels else { return nil }
        if let orientation {
            chunks += Chunk(type: "EXIF", content: orientation.tiff[...]).bytes
            if orientation.isTransposed {
                size = PhotoSize(width: size.height, height: size.width)
            }
        }
        let kept = flags & keptFlags | (orientation == nil ? 0 : exifFlag)
        let rewritten = [kept, 0, 0, 0] + header.suffix(6)
        return (Chunk(type: "VP8X", content: rewritten[...]).bytes + chunks, size)
    }

    private static func orientation(_ exif: ArraySlice<UInt8>) -> ExifOrientation? {
        // Some programs write the prefix that JPEG has.
        let prefix = Array("Exif\0\0".utf8)
        return ExifOrientation(
            tiff: exif.starts(with: prefix) ? exif.dropFirst(prefix.count) : exif)
    }

    /// A frame of an animation, without unknown chunks.
    private static func animationFrame(
        _ content: ArraySlice<UInt8>
    ) -> (chunk: Chunk, size: PhotoSize)? {
        var reader = ByteCursor(content)
        guard let header = reader.take(frameHeaderBytes) else { return nil }
        var frame = Array(header)
        var size: PhotoSize?
        while !reader.isAtEnd {
            guard let chunk = Chunk(&reader) else { return nil }
            switch chunk.type {
            case "ALPH": frame += chunk.bytes
            case "VP8 ", "VP8L":
                size = frameSize(chunk)
                frame += chunk.bytes
            default: break
            }
        }
        return size.map { (Chunk(type: "ANMF", content: frame[...]), $0) }
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
