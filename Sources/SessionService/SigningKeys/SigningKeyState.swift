/// What a signing key is for (S-01). Numbers stand in the store.
enum SigningKeyState: Int64, CaseIterable, Sendable {
    /// Signs; its tokens verify. There is one.
    case active = 1
    /// Signs no more; its tokens verify until they have expired.
    case passive = 2
    /// Nothing of it verifies.
    case retired = 3
}
