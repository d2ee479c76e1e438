/// The state of a signing key (S-01). The numbers are stored.
enum SigningKeyState: Int64, CaseIterable, Sendable {
    /// Signs; its tokens verify. There is one.
    case active = 1
    /// Does not sign; its tokens verify. One that still has its private number has never signed: it
    /// is announced, so that every verifier knows it before it signs. One without it has stopped
    /// signing, and its tokens verify until they have expired.
    case passive = 2
    /// Its tokens no longer verify.
    case retired = 3
}
