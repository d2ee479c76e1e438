import Messages

// Messages of the identity service as the public API has them. The enums have the same numbers in
// both (`PublicAPITests`).

extension GatewayV1.Account {
    init(_ account: IdentityV1.Account) {
        self.init(
            accountId: account.accountId, email: account.email,
            emailVerified: account.emailVerified, displayName: account.displayName,
            createdAtMs: account.createdAtMs,
            status: GatewayV1.AccountStatus(rawValue: account.status.rawValue),
            methods: account.methods, phoneNumber: account.phoneNumber,
            photoUrl: account.photoUrl, isGuest: account.isGuest,
            pendingEmail: account.pendingEmail,
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
    init(_ collision: IdentityV1.Collision) {
        self.init(
            guest: collision.guest.map(GatewayV1.Account.init),
            choiceToken: collision.choiceToken, expiresAtMs: collision.expiresAtMs)
    }
}
