import HTTPTypes

extension HTTPFields {
    /// The value of a field. It is what the subscript returns, which takes thousands of
    /// instructions to join the only value with no others.
    func value(of name: HTTPField.Name) -> String? {
        var value: String?
        let count = name.canonicalName.utf8.count
        // Most names differ in length, which is compared at once.
        for field in self
        where field.name.canonicalName.utf8.count == count && field.name == name {
            guard value == nil else { return self[name] }
            value = field.value
        }
        return value
    }

    /// Adds a field that is not there. The subscript looks for it first.
    mutating func add(_ name: HTTPField.Name, _ value: String) {
        append(HTTPField(name: name, value: value))
    }
}
