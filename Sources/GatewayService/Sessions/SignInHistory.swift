import Messages

extension GatewayV1.SignInHistory {
    /// Identity's message has another form, since it is stored in the responses of sign-ins, for
    /// their repeats (G-25).
    init(_ history: IdentityV1.SignInHistory) {
        self.init(
            previous: history.lastSignInAtMs > 0
                ? GatewayV1.PreviousSignIn(
                    signedInAtMs: history.lastSignInAtMs, gapMs: history.gapMs) : nil,
            isNewDevice: history.isNewDevice)
    }
}
