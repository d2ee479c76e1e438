/// The profile data of a provider that is safe to store. A provider accepts values from its users
/// that this service would reject.
struct ShownProfile: Sendable {
    private static let photoURLBytesMax = 2_048

    /// Nil when the provider sent none, or an invalid one.
    let displayName: String?
    /// Nil when the provider sent none, or an invalid one.
    let photoURL: String?

    init(_ proved: ProvedIdentity) {
        let name = proved.displayName
        displayName = !name.isEmpty && Applicant.isDisplayName(name) ? name : nil
        photoURL = Self.isPhoto(proved.photoURL) ? proved.photoURL : nil
    }

    /// Whether an app can use the URL without further checks: `https`, printable ASCII, at most
    /// `photoURLBytesMax`, no quotes or brackets.
    static func isPhoto(_ url: String) -> Bool {
        url.hasPrefix("https://") && url.utf8.count <= photoURLBytesMax
            && url.utf8.allSatisfy { byte in
                (33...126).contains(byte) && !"\"'<>\\^`{|}".utf8.contains(byte)
            }
    }
}
