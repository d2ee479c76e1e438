/// What of a provider's word may stand in a profile: a provider takes from its users what we would
/// not take from ours.
struct ShownProfile: Sendable {
    private static let photoURLBytesMax = 2_048

    /// Nil for none.
    let displayName: String?
    /// Nil for none.
    let photoURL: String?

    init(_ proved: ProvedIdentity) {
        let name = proved.displayName
        displayName = !name.isEmpty && Applicant.isDisplayName(name) ? name : nil
        photoURL = Self.isPhoto(proved.photoURL) ? proved.photoURL : nil
    }

    /// A URL that an app can show without a second thought: `https`, printable ASCII, no quotes or
    /// brackets.
    static func isPhoto(_ url: String) -> Bool {
        url.hasPrefix("https://") && url.utf8.count <= photoURLBytesMax
            && url.utf8.allSatisfy { byte in
                (33...126).contains(byte) && !"\"'<>\\^`{|}".utf8.contains(byte)
            }
    }
}
