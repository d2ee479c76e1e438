/// The keys of a stripe's states that have changed since the journal last took them. Each changed
/// slot is also marked, so that its key is listed once.
struct StripeChanges {
    /// The largest number of listed keys of existing states. Further changed states are found by
    /// their marks: a list of a million keys would use as much memory as a third of a million
    /// states.
    private static let keysMax = 1_024

    private(set) var keys: [LimitKey] = []
    /// Whether there are more changed states, marked in their slots but not listed.
    private(set) var areMore = false

    /// Records a state that was not marked before.
    mutating func note(_ key: LimitKey) {
        if keys.count < Self.keysMax { keys.append(key) } else { areMore = true }
    }

    /// Records a state that is removed. Its mark is removed with it, so the key must be listed.
    /// - Parameter isMarked: the state is already recorded, in the list or by its mark.
    mutating func noteEnd(of key: LimitKey, isMarked: Bool) {
        if !isMarked || areMore { keys.append(key) }
    }
}
