import Contracts
import Messages

// Messages of the identity and the session service as the public API has them.

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
