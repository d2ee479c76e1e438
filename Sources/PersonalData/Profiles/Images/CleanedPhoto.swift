import ServiceRuntime

/// A photo without the data about where, when and by what it was taken (G-17).
///
/// The file's container is written again with the parts that show the picture; EXIF, XMP, comments,
/// thumbnails, colour profiles of others, all frames of an animation but the first, and what follows
/// the picture's end are left out. Pixels are not decoded: a decoder is
/// the larger target for hostile files, and the sizes in the headers are enough to bound what an
/// app's decoder will need. So a file of the right form may still have pixels that no decoder
/// accepts, and what is written into the pixels stays.
struct CleanedPhoto: Hashable, Sendable {
    /// The largest photo that is taken, in bytes: what the cameras of phones make, after an app has
    /// scaled it for a profile.
    static let bytesMax = 5 << 20
    /// The largest width and height. 8192 by 8192 pixels take 256 MiB in an app's memory.
    static let pixelsMax = 8_192

    let format: PhotoFormat
    let width: Int
    let height: Int
    let bytes: [UInt8]

    /// Reads a file of one of the formats and writes it again.
    /// - Throws: `auth/invalid-photo` with the rule that it breaks.
    init(_ file: [UInt8]) throws(ServiceError) {
        guard file.count <= Self.bytesMax else { throw .invalidPhoto(.photoBytes) }
        guard let format = PhotoFormat(of: file) else { throw .invalidPhoto(.photoFormat) }
        let clean: (bytes: [UInt8], size: PhotoSize)? =
            switch format {
            case .jpeg: JPEGFile(file).map { ($0.bytes, $0.size) }
            case .png: PNGFile(file).map { ($0.bytes, $0.size) }
            case .webP: WebPFile(file).map { ($0.bytes, $0.size) }
            }
        guard let clean else { throw .invalidPhoto(.photoFormat) }
        let pixels = 1...Self.pixelsMax
        guard pixels.contains(clean.size.width), pixels.contains(clean.size.height) else {
            throw .invalidPhoto(.photoPixels)
        }
        self.format = format
        (width, height) = (clean.size.width, clean.size.height)
        bytes = clean.bytes
    }
}

/// Width and height in pixels, as a file's header says.
struct PhotoSize: Hashable, Sendable {
    var width: Int
    var height: Int
}

/// The formats of photos. Raw values are stored and sent.
package enum PhotoFormat: String, CaseIterable, Sendable {
    case jpeg = "image/jpeg"
    case png = "image/png"
    case webP = "image/webp"

    /// The format by the first bytes; what the client calls the file does not count.
    init?(of file: [UInt8]) {
        if file.starts(with: JPEGFile.start) {
            self = .jpeg
        } else if file.starts(with: PNGFile.signature) {
            self = .png
        } else if file.starts(with: "RIFF".utf8), file.dropFirst(8).starts(with: "WEBP".utf8) {
            self = .webP
        } else {
            return nil
        }
    }
}

extension ServiceError {
    /// `auth/invalid-photo`: the photo breaks a rule.
    static func invalidPhoto(_ rule: PhotoRule) -> ServiceError {
        var error = ServiceError(.invalidPhoto)
        error.violations = [Violation(field: "photo", rule: rule.rawValue)]
        return error
    }
}
