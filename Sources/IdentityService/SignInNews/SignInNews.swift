import Messages
import ServiceRuntime

/// What a sign-in has to tell of the one before it (G-08).
struct SignInNews: Hashable, Sendable {
    /// The sign-in before; nil for the first.
    let before: Timestamp?
    /// This sign-in.
    let at: Timestamp
    let isNewDevice: Bool

    /// As it is answered. After a clock was set right the one before may be later; that is no gap.
    var message: IdentityV1.SignInNews {
        let gap = before.map { max(0, at.milliseconds - $0.milliseconds) }
        return IdentityV1.SignInNews(
            lastSignInAtMs: before?.milliseconds ?? 0, gapMs: gap ?? 0, isNewDevice: isNewDevice)
    }
}

extension StoredResponse {
    /// The answer of a sign-in, with its news: a repeat tells the same.
    /// - Parameter isTakenOver: of a reset: the address had not been proved until then.
    init(account: AccountID, news: SignInNews, isTakenOver: Bool = false) {
        self.init(
            account: account.key, figure: news.before?.milliseconds ?? 0,
            moment: news.at.milliseconds,
            mark: (news.isNewDevice ? 1 : 0) | (isTakenOver ? 2 : 0))
    }

    /// What `init(account:news:isTakenOver:)` was given.
    var news: SignInNews {
        let before = figure == 0 ? nil : Timestamp(milliseconds: figure)
        return SignInNews(
            before: before, at: Timestamp(milliseconds: moment), isNewDevice: mark & 1 != 0)
    }

    /// As above.
    var isTakenOver: Bool { mark & 2 != 0 }
}
