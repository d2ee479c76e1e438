import Messages
import ServiceRuntime

/// What a sign-in reports about the previous one (G-08).
struct SignInNews: Hashable, Sendable {
    /// Time of the previous sign-in; nil for the first.
    let before: Timestamp?
    /// Time of this sign-in.
    let at: Timestamp
    let isNewDevice: Bool

    /// The response message. After a clock correction the previous sign-in may appear later than
    /// this one; the gap is then 0.
    var message: IdentityV1.SignInNews {
        let gap = before.map { max(0, at.milliseconds - $0.milliseconds) }
        return IdentityV1.SignInNews(
            lastSignInAtMs: before?.milliseconds ?? 0, gapMs: gap ?? 0, isNewDevice: isNewDevice)
    }
}

extension StoredResponse {
    /// The stored response of a sign-in with its news, so that a retry returns the same.
    /// - Parameter isTakenOver: for a password reset: it verified the address for the first time.
    init(account: AccountID, news: SignInNews, isTakenOver: Bool = false) {
        self.init(
            account: account.key, figure: news.before?.milliseconds ?? 0,
            moment: news.at.milliseconds,
            mark: (news.isNewDevice ? 1 : 0) | (isTakenOver ? 2 : 0))
    }

    /// The news that `init(account:news:isTakenOver:)` stored.
    var news: SignInNews {
        let before = figure == 0 ? nil : Timestamp(milliseconds: figure)
        return SignInNews(
            before: before, at: Timestamp(milliseconds: moment), isNewDevice: mark & 1 != 0)
    }

    /// The flag that `init(account:news:isTakenOver:)` stored.
    var isTakenOver: Bool { mark & 2 != 0 }
}
