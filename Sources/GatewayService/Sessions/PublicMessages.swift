import Messages

// Messages of the identity and the session service as the public API has them. The enums have the
// same numbers in both (`PublicAPITests`).

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
            status: GatewayV1.AccountStatus(rawValue: account.status.rawValue),
            methods: account.methods, phoneNumber: account.phoneNumber,
            photoUrl: photo.isEmpty ? account.photoUrl : photo, isGuest: account.isGuest,
            pendingEmail: account.pendingEmail, onboardingComplete: account.onboardingComplete,
            lastSignIn: account.lastSignInAtMs > 0
                ? .lastSignInAtMs(account.lastSignInAtMs) : nil)
    }
}

extension GatewayV1.RequiredAction {
    /// What the owner of an account still has to do (G-01).
    static func of(_ account: IdentityV1.Account?) -> [GatewayV1.RequiredAction] {
        (account?.requiredActions ?? []).map { GatewayV1.RequiredAction(rawValue: $0.rawValue) }
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
            choice: GatewayV1.GuestDataChoice(rawValue: collision.choice.rawValue),
            migration: collision.migration.map(GatewayV1.Migration.init))
    }
}

extension GatewayV1.Migration {
    init(_ migration: IdentityV1.Migration) {
        self.init(
            migrationId: migration.migrationId,
            state: GatewayV1.MigrationState(rawValue: migration.state.rawValue),
            choice: GatewayV1.GuestDataChoice(rawValue: migration.choice.rawValue),
            documents: migration.documents, done: migration.done,
            issues: migration.issues.map {
                GatewayV1.MigrationIssue(collection: $0.collection, name: $0.name, code: $0.code)
            }, createdAtMs: migration.createdAtMs, changedAtMs: migration.changedAtMs)
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

// The other way: a device's key and its signatures, as the session service takes them.

extension SessionV1.DeviceKey {
    init(_ key: GatewayV1.DeviceKey) {
        self.init(
            kind: SessionV1.DeviceKeyKind(rawValue: key.kind.rawValue), publicKey: key.publicKey,
            possession: key.possession)
    }
}

extension SessionV1.DeviceProof {
    init(_ proof: GatewayV1.DeviceProof) {
        self.init(signedAtMs: proof.signedAtMs, signature: proof.signature)
    }
}

extension SessionV1.PresenceProof {
    init(_ proof: GatewayV1.PresenceProof) {
        self.init(
            signedAtMs: proof.signedAtMs, hardwareKey: proof.hardwareKey,
            signature: proof.signature)
    }
}
