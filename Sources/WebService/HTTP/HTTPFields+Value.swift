import HTTPTypes

extension HTTPFields {
    /// The value of a field. It is what the subscript returns, which takes thousands of
    /// instructions to join the only value with no others.
    func value(of name: HTTPField.Name) -> String? {
        var value: String?
        for field in self where field.name == name {
            guard value == nil else { return self[name] }
            value = field.value
        }
        return value
    }
}
