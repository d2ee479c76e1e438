/// A store exists, but the key that it was sealed under does not. With a new key, nothing in it
/// could be opened: each account would be unknown.
struct LostKeyError: Error, CustomStringConvertible {
    let key: String
    let store: String

    var description: String {
        "\(key) is missing, and \(store) was sealed under it: put the key back, or move the store "
            + "away to start with an empty one"
    }
}
