package import Messages

/// Where the web service serves photos (G-17). Identity stores only their names.
package struct PhotoURLs: Sendable {
    /// The first of the web service's origins; empty without any, for URLs relative to it.
    private let origin: String

    /// The URLs below the first of the web service's origins.
    package init(_ origins: [String]) { origin = origins.first ?? "" }

    /// The URL of a photo; empty for no name.
    package func url(of name: String) -> String {
        name.isEmpty ? "" : "\(origin)/v1/photos/\(name)"
    }
}

extension GatewayV1.Account {
    /// An uploaded photo comes before the URL from a provider or an import.
    package init(_ account: IdentityV1.Account, _ photos: PhotoURLs) {
        let photo = photos.url(of: account.photoName)
        self.init(
            accountId: account.accountId, email: account.email,
            emailVerified: account.emailVerified, displayName: account.displayName,
            createdAtMs: account.createdAtMs,
            status: account.status,
            methods: account.methods, phoneNumber: account.phoneNumber,
            photoUrl: photo.isEmpty ? account.photoUrl : photo, isGuest: account.isGuest,
            pendingEmail: account.pendingEmail, onboardingComplete: account.onboardingComplete,
            lastSignIn: account.lastSignInAtMs > 0
                ? .lastSignInAtMs(account.lastSignInAtMs) : nil)
    }
}
