/// A JPEG file, written again without metadata (ITU-T T.81, annex B; JFIF 1.02).
///
///     kept                        left out
///     frame, tables, scans        all other APPn: EXIF but for the orientation, XMP, IPTC, maker's
///     JFIF without its thumbnail  notes, depth maps, further pictures
///     Adobe's colour transform    comments
///     a known colour space        everything after the end of the image
struct JPEGFile {
    static let start: [UInt8] = [0xff, 0xd8]
    private static let end: [UInt8] = [0xff, 0xd9]
    private static let jfif = Array("JFIF\0".utf8)
    private static let exif = Array("Exif\0\0".utf8)
    private static let icc = Array("ICC_PROFILE\0".utf8)
    private static let adobe = Array("Adobe".utf8)
    /// Of JFIF's segment, without the size of the thumbnail; of Adobe's.
    private static let (jfifBytes, adobeBytes) = (12, 12)

    /// Programs write about ten. Attack: a small file with thousands of scans, each of which makes
    /// a decoder go through all pixels.
    static let scansMax = 100

    private(set) var size = PhotoSize(width: 0, height: 0)
    private var hasFrame = false
    private var scans = 0
    private var jfif: [UInt8] = []
    private var orientation: ExifOrientation?
    /// The parts of the colour profile, by their numbers.
    private var profile: [UInt8: ArraySlice<UInt8>] = [:]
    private var rest: [UInt8] = []

    /// The file without metadata.
    var bytes: [UInt8] {
        let turned = orientation.map { Self.segment(0xe1, Self.exif + $0.tiff) } ?? []
        let parts = profile.sorted { $0.key < $1.key }.map(\.value)
        let space = ColourProfile(of: parts.joined()).map {
            Self.segment(0xe2, Self.icc + [1, 1] + $0.icc)
        }
        return Self.start + jfif + turned + (space ?? []) + rest + Self.end
    }

    /// Nil for a file of another form, and one that ends early.
    init?(_ file: [UInt8]) {
        var reader = ByteCursor(file.dropFirst(Self.start.count))
        while let marker = Self.marker(&reader) {
            if marker == 0xd9 {
                guard scans > 0 else { return nil }
                if orientation?.isTransposed == true {
                    size = PhotoSize(width: size.height, height: size.width)
                }
                return
            }
            guard let length = reader.bigEndian(2), let content = reader.take(length - 2),
                add(marker, content)
            else { return nil }
            if marker == 0xda { rest += Self.scan(&reader) }
        }
        return nil
    }

    private static func marker(_ reader: inout ByteCursor) -> UInt8? {
        guard reader.byte() == 0xff else { return nil }
        // Any number of bytes 0xff may precede a marker.
        while let byte = reader.byte() {
            if byte != 0xff { return byte }
        }
        return nil
    }

    /// Takes a segment over, or leaves it out.
    /// - Returns: false if a file of this form has no such segment.
    private mutating func add(_ marker: UInt8, _ content: ArraySlice<UInt8>) -> Bool {
        switch marker {
        // Tables: Huffman, arithmetic, quantisation, restart interval.
        case 0xc4, 0xcc, 0xdb, 0xdd: break
        case 0xc0...0xc3, 0xc5...0xc7, 0xc9...0xcb, 0xcd...0xcf:
            guard !hasFrame, readFrame(content) else { return false }
        case 0xda:
            guard hasFrame, scans < Self.scansMax else { return false }
            scans += 1
        case 0xe0...0xef, 0xfe: return addOptional(marker, content)
        default: return false
        }
        rest += Self.segment(marker, content)
        return true
    }

    private mutating func readFrame(_ content: ArraySlice<UInt8>) -> Bool {
        var reader = ByteCursor(content.dropFirst())
        guard let height = reader.bigEndian(2), let width = reader.bigEndian(2) else {
            return false
        }
        size = PhotoSize(width: width, height: height)
        hasFrame = true
        return true
    }

    private mutating func addOptional(_ marker: UInt8, _ content: ArraySlice<UInt8>) -> Bool {
        if marker == 0xe0, content.starts(with: Self.jfif), content.count >= Self.jfifBytes {
            jfif = Self.segment(marker, content.prefix(Self.jfifBytes) + [0, 0])
        } else if marker == 0xe1, content.starts(with: Self.exif), orientation == nil {
            orientation = ExifOrientation(tiff: content.dropFirst(Self.exif.count))
        } else if marker == 0xe2, content.starts(with: Self.icc) {
            // The number of the part, and of all.
            var part = ByteCursor(content.dropFirst(Self.icc.count))
            if let number = part.byte(), part.byte() != nil { profile[number] = part.upcoming }
        } else if marker == 0xee, content.starts(with: Self.adobe),
            content.count >= Self.adobeBytes
        {
            rest += Self.segment(marker, content.prefix(Self.adobeBytes))
        }
        return true
    }

    /// The compressed data up to the next marker. In it, 0xff is followed by 0, and restart markers
    /// are a part of it.
    private static func scan(_ reader: inout ByteCursor) -> ArraySlice<UInt8> {
        let data = reader.upcoming
        var index = data.startIndex
        while index < data.endIndex - 1 {
            let next = data[index + 1]
            if data[index] == 0xff, next != 0, !(0xd0...0xd7).contains(next) { break }
            index += 1
        }
        return reader.take(index - data.startIndex) ?? []
    }

    private static func segment(_ marker: UInt8, _ content: some Collection<UInt8>) -> [UInt8] {
        [0xff, marker] + (content.count + 2).bigEndianBytes(2) + content
    }
}
