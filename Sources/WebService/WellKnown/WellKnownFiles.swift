import Glibc
import Logging
import ServiceRuntime

/// The operator's files below `/.well-known`, read at the start from the setting
/// `well-known-folder`. Only these names are served, so that no other file in the folder is
/// published by mistake.
struct WellKnownFiles: Sendable {
    /// The names with their media types.
    static let mediaTypes = [
        // Lets links of mails open the app.
        "apple-app-site-association": "application/json",
        "assetlinks.json": "application/json",
        // RFC 9116.
        "security.txt": "text/plain; charset=utf-8",
    ]
    private static let bytesMax = 128 * 1024

    /// The contents by name.
    let contents: [String: [UInt8]]

    /// Reads the files that are there. One that is there and cannot be served is logged, and so is
    /// a folder that has none of them.
    init(folder: String?, logger: Logger) {
        var contents: [String: [UInt8]] = [:]
        if let folder {
            for name in Self.mediaTypes.keys.sorted() {
                let path = "\(folder)/\(name)"
                guard access(path, F_OK) == 0 else { continue }
                switch FileText.read(path, bytesMax: Self.bytesMax) {
                case .success(let bytes): contents[name] = bytes
                case .failure(let failure): Self.log(path, failure.sentence, logger)
                }
            }
            if contents.isEmpty {
                let names = Self.mediaTypes.keys.sorted().joined(separator: ", ")
                Self.log(folder, "none of these files can be served: \(names)", logger)
            }
        }
        self.contents = contents
    }

    private static func log(_ path: String, _ reason: String, _ logger: Logger) {
        logger.error(
            "web.well-known.unreadable", "reading a file of well-known-folder failed",
            fields: [.file: .text(path), .detail: .text(reason)])
    }
}
