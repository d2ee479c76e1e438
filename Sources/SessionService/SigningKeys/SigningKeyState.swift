/// What a signing key is for (S-01). Numbers stand in the store.
enum SigningKeyState: Int64, CaseIterable, Sendable {
    /// Signs; its tokens verify. There is one.
    case active = 1
    /// Does not sign; its tokens verify. One that still has its private number has never signed:
    /// it is announced, so that every verifier knows it before it does. One without it signs no
    /// more, and its tokens verify until they have expired.
    case passive = 2
    /// Nothing of it verifies.
    case retired = 3
}
