/// Everything that has happened to the tokens of one session, and what the theorems require of the
/// next use. It is separate from the rule's input: the rule sees a row of a few numbers, and the
/// schedules prove that those are enough.
struct History: Hashable {
    /// What the theorems require.
    enum Verdict: Hashable {
        /// A first use: a child is made.
        case child
        /// The existing child is returned.
        case sameChild
        /// A theft or an equal case is detected: the session ends.
        case end
        /// The client may not use the token: nothing changes.
        case refusal
        /// The session has already ended.
        case over
    }

    /// When each token was first used, by counter; nil if it was not used yet.
    private(set) var firstUsed: [Int64?] = [nil, nil]
    /// Whether the access token issued with each token was used at the server.
    private(set) var accessUsed = [false, false]
    private(set) var isOver = false

    /// For a session without a key. No retry within the grace is signed out. Every use that is
    /// stale after the grace, or after the child was used, ends the session.
    func verdictWithoutKey(on counter: Int64, grace: Int64, at now: Int64) -> Verdict {
        if isOver { return .over }
        guard let first = firstUsed[Int(counter)] else { return .child }
        let child = Int(counter) + 1
        let isChildUsed = firstUsed[child] != nil || accessUsed[child]
        return now - first < grace && !isChildUsed ? .sameChild : .end
    }

    /// For a session with a key. Its device always gets a response, no other client ever does.
    func verdictWithKey(on counter: Int64, byDevice: Bool) -> Verdict {
        if isOver { return .over }
        guard byDevice else { return .refusal }
        return firstUsed[Int(counter)] == nil ? .child : .sameChild
    }

    mutating func recordUse(of counter: Int64, at now: Int64) {
        guard firstUsed[Int(counter)] == nil else { return }
        firstUsed[Int(counter)] = now
        firstUsed.append(nil)
        accessUsed.append(false)
    }

    mutating func recordAccess(_ counter: Int64) { accessUsed[Int(counter)] = true }

    mutating func recordEnd() { isOver = true }

    /// The server loses which access tokens it has seen. After a crash the rule is milder for the
    /// rest of the grace, as `RefreshTokens/README.md` says.
    mutating func recordRestart() {
        for place in accessUsed.indices { accessUsed[place] = false }
    }

    /// Everything that the future can depend on, in a few bits. For a used token: how long ago it
    /// was used, up to the grace. For an unused token: whether its access token was used. All ages
    /// above the grace are equal, and once the child was used a token's own age does not matter to
    /// the theorems.
    func packed(grace: Int64, at now: Int64) -> UInt64 {
        var bits: UInt64 = isOver ? 1 : 0
        for place in 1..<firstUsed.count {
            let isSettled = place + 1 < firstUsed.count && firstUsed[place + 1] != nil
            let age = firstUsed[place].map { isSettled ? grace : min(now - $0, grace) }
            let isAccessUsed = age == nil && accessUsed[place]
            bits = bits << 3 | UInt64((age ?? -1) + 1) << 1 | (isAccessUsed ? 1 : 0)
        }
        return bits
    }
}
