/// A requirement on a field of a document (I-07). The raw values are the rules of
/// `auth/invalid-document`'s violations.
package enum DocumentRule: String, CaseIterable, Sendable {
    /// The document is a JSON object within the limits of size and depth.
    case json
    /// The field is there.
    case required
    /// Its value has the declared type.
    case type
    /// A number is within its range.
    case range
    /// A text, or a list, has a length within its range.
    case textLength = "text-length"
    /// A text matches its pattern.
    case pattern
    /// The value is one of those that are allowed.
    case enumeration
    /// The field is one that the collection declares.
    case unknownField = "unknown-field"
    /// The field cannot be changed once it has a value.
    case readOnly = "read-only"
    /// Only the app's own backend can write the field.
    case serverOnly = "server-only"

    /// The sentence for the user in `voice`.
    package func sentence(in voice: Voice) -> String {
        voice.sentence("document/\(rawValue)")
    }
}

/// A requirement on a photo (G-17). The raw values are the rules of `auth/invalid-photo`'s
/// violations.
package enum PhotoRule: String, CaseIterable, Sendable {
    /// At most 5 MiB.
    case photoBytes = "photo-bytes"
    /// JPEG, PNG or WebP, by its content.
    case photoFormat = "photo-format"
    /// At most 8192 by 8192 pixels.
    case photoPixels = "photo-pixels"

    /// The sentence for the user in `voice`.
    package func sentence(in voice: Voice) -> String {
        voice.sentence("photo/\(rawValue)")
    }
}
