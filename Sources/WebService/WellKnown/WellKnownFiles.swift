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

    /// Reads the files that are there.
    init(folder: String?) {
        var contents: [String: [UInt8]] = [:]
        for name in Self.mediaTypes.keys {
            guard let folder,
                case .success(let bytes) = FileText.read(
                    "\(folder)/\(name)", bytesMax: Self.bytesMax)
            else { continue }
            contents[name] = bytes
        }
        self.contents = contents
    }
}
