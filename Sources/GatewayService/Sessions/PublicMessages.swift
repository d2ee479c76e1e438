import Messages

// Messages of the identity and the session service as the public API has them.

/// Where the web service serves photos (G-17). Identity stores only their names.
struct PhotoURLs: Sendable {
    /// The first of the web service's origins; empty without any, for URLs relative to it.
    let origin: String

    /// The URL of a photo; empty for no name.
    func url(of name: String) -> String { name.isEmpty ? "" : "\(origin)/v1/photos/\(name)" }
}

extension GatewayV1.Account {
    /// An uploaded photo comes before the URL from a provider or an import.
    init(_ account: IdentityV1.Account, _ photos: PhotoURLs) {
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

extension GatewayV1.SignInHistory {
    init(_ history: IdentityV1.SignInHistory) {
        self.init(
            previous: history.lastSignInAtMs > 0
                ? GatewayV1.PreviousSignIn(
                    signedInAtMs: history.lastSignInAtMs, gapMs: history.gapMs) : nil,
            isNewDevice: history.isNewDevice)
    }
}

extension GatewayV1.Collision {
    init(_ collision: IdentityV1.Collision, _ photos: PhotoURLs) {
        self.init(
            guest: collision.guest.map { GatewayV1.Account($0, photos) },
            choiceToken: collision.choiceToken, expiresAtMs: collision.expiresAtMs,
            choice: collision.choice, migration: collision.migration)
    }
}

extension GatewayV1.Session {
    /// Converts the session service's tokens.
    init(_ tokens: SessionV1.Tokens) {
        self.init(
            sessionId: tokens.sessionId, accessToken: tokens.accessToken,
            accessExpiresAtMs: tokens.accessExpiresAtMs, refreshToken: tokens.refreshToken,
            idleExpiresAtMs: tokens.idleExpiresAtMs, expiresAtMs: tokens.expiresAtMs,
            answeredAtMs: tokens.serverTimeMs)
    }
}
