package import Contracts
import Cryptography
import Messages
import RPC
package import ServiceRuntime
import Synchronization

/// Verifies access tokens without a call for each (S-01, S-07), for backends in Swift: the key set
/// is fetched from the gateway and the ends of sessions are followed, so that a token is refused
/// within a second of its session's end.
///
///     let verifier = SessionVerifier(VerificationClient(gateway), settings, …)
///     Task { await verifier.run() }
///     switch await verifier.verify(token) { … }
package final class SessionVerifier: Sendable {
    /// A call that follows ends is begun anew after this.
    private static let followedFor: Duration = .seconds(3_600)
    /// The longest wait before a lost gateway is asked again: there may be thousands who do.
    private static let waitMax: Duration = .seconds(2)

    private let settings: VerifierSettings
    private let fetching: KeyFetching
    private let follower: RevocationFollower
    private let ends = RecentRevocations()
    private let feedState = Mutex(RevocationFeedState())
    private let time: any Time

    /// A verifier that asks the gateway through `verification`.
    package init(
        _ verification: any VerificationAPI, _ settings: VerifierSettings, time: any Time,
        randomness: any Randomness
    ) {
        self.settings = settings
        self.time = time
        fetching = KeyFetching(verification, settings, time: time)
        follower = RevocationFollower(waitMax: Self.waitMax, time: time, randomness: randomness) {
            request in
            let deadline = time.uptime() + Self.followedFor
            return verification.watchEnds(request, CallContext(deadline: deadline))
        }
    }

    /// Follows ends and keys until cancelled. Without it tokens are verified all the same, and
    /// hold until they expire, if the settings trust that.
    package func run() async {
        await withTaskGroup { parts in
            parts.addTask { await self.follower.run { self.take($0) } }
            parts.addTask { await self.fetchRegularly() }
        }
    }

    /// How long ago every end was known; nil where that never was. While all is well this is about
    /// a second.
    package var freshness: Duration? {
        let now = time.uptime()
        return feedState.withLock { $0.heardAt }.map { now - $0 }
    }

    /// Whether a token is good now. Waits only for keys: the first time, and now and then for a
    /// token that names a key which is not known.
    package func verify(_ token: String) async -> Verdict {
        if fetching.keys == nil { await fetching.fetch() }
        guard let keys = fetching.keys else { return .refused(.noKeys) }
        do throws(TokenRefusal) {
            return try verdict(token, keys)
        } catch {
            guard error == .unknownKey, await fetching.fetchForUnknownKey(),
                let keys = fetching.keys
            else { return .refused(.token(error)) }
            do throws(TokenRefusal) {
                return try verdict(token, keys)
            } catch {
                return .refused(.token(error))
            }
        }
    }

    private func verdict(
        _ token: String, _ keys: KnownKeys
    ) throws(TokenRefusal) -> Verdict {
        // Not kept with the token: the first word of ends may come after it was read.
        let session = try keys.read(token).limited(to: feedState.withLock { $0.lifeMax })
        return VerdictRule.verdict(
            session, hasEnded: ends.contains(session.session), silentFor: freshness,
            silence: settings.silence, at: time.now())
    }

    private func take(_ item: SessionV1.WatchEndsItem) {
        let news = RevocationUpdate(item)
        ends.insert(news.ends.map { ($0.session, $0.at) }, keptFor: news.keptFor)
        if let completeAt = news.completeAt { ends.forget(upTo: completeAt - news.keptFor) }
        let now = time.uptime()
        feedState.withLock { $0.note(news, at: now) }
        // Not waited for: ends must not stand behind keys. The next item tries again.
        if fetching.keys?.hash != news.keySet { fetching.begin() }
    }

    private func fetchRegularly() async {
        while !Task.isCancelled {
            await fetching.fetch()
            // Cancelled in its sleep, it leaves.
            try? await time.sleep(for: KeyFetching.regularly)
        }
    }
}
