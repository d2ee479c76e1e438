/// Everything that has happened to the tokens of one family, and what the theorems say must become
/// of the next use. It is kept apart from what the rule is given: the rule sees a row of a few
/// numbers, and that those suffice is what the schedules prove.
struct History: Hashable {
    /// What the theorems allow.
    enum Verdict: Hashable {
        /// A first use: it has a child.
        case child
        /// The child that is there already.
        case sameChild
        /// Theft or its like is found: the family ends.
        case end
        /// Nobody who may ask: nothing changes.
        case refusal
        /// The family has ended before.
        case over
    }

    /// When each token was first used, by its counter; nil before that.
    private(set) var firstUsed: [Int64?] = [nil, nil]
    /// Whether the access token given with each was used at the server.
    private(set) var accessUsed = [false, false]
    private(set) var isOver = false

    /// Of a session without a key. No retry within the grace is signed out; every use that is stale
    /// after the grace, or after the child was used, ends the family.
    func verdictWithoutKey(on counter: Int64, grace: Int64, at now: Int64) -> Verdict {
        if isOver { return .over }
        guard let first = firstUsed[Int(counter)] else { return .child }
        let child = Int(counter) + 1
        let isChildUsed = firstUsed[child] != nil || accessUsed[child]
        return now - first < grace && !isChildUsed ? .sameChild : .end
    }

    /// Of a session with a key. Its device is always answered; nobody else ever is.
    func verdictWithKey(on counter: Int64, byDevice: Bool) -> Verdict {
        if isOver { return .over }
        guard byDevice else { return .refusal }
        return firstUsed[Int(counter)] == nil ? .child : .sameChild
    }

    mutating func noteUse(of counter: Int64, at now: Int64) {
        guard firstUsed[Int(counter)] == nil else { return }
        firstUsed[Int(counter)] = now
        firstUsed.append(nil)
        accessUsed.append(false)
    }

    mutating func noteAccess(_ counter: Int64) { accessUsed[Int(counter)] = true }

    mutating func noteEnd() { isOver = true }

    /// The server forgets which access tokens it has seen: for as long as the grace still runs the
    /// rule is milder after a crash, as its page says.
    mutating func noteRestart() {
        for place in accessUsed.indices { accessUsed[place] = false }
    }

    /// All that the future can depend on, in few bits: of each token whether it was used and, up to
    /// the grace, how long ago; of one that was not, whether its access token was. Older than the
    /// grace is old, and once its child was used a token's own age tells the theorems nothing.
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
