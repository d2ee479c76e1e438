/// A store is there and the key that it was sealed under is not. A new key would open nothing of
/// it: each account would be unknown.
struct LostKeyError: Error, CustomStringConvertible {
    let key: String
    let store: String

    var description: String {
        "\(key) is missing, and \(store) was sealed under it: put the key back, or move the store "
            + "away to start with an empty one"
    }
}
