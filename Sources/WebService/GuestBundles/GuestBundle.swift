import JSON
import Messages
import ServiceRuntime

/// The documents of `PUT /v1/guest-bundle`, not yet read:
///
///     {"documents": [{"collection": "goals", "name": "main", "document": {…}, "changedAtMs": 7}]}
///
/// A document has its object as `document`, or as text in `json`.
///
/// Attack: 2 MiB of nested lists become thirty times that as values. So the elements are only found
/// here, and each is read when it is sent.
struct GuestBundle: Sendable {
    /// More than identity takes: it says how many those are.
    private static let documentsMax = 1_000
    /// Bytes of one: what identity takes as the JSON of a document, 64 KiB, with each byte escaped
    /// as in `\u0041`, and the other fields.
    ///
    /// Attack: one document of 2 MiB, which takes thirty times that as values. The gateway would
    /// refuse it only then.
    private static let elementBytesMax = 6 * 64 * 1024 + 4 * 1024
    /// As deep as identity takes objects, in an object.
    private static let depthMax = 17
    /// As many members of an object as identity takes.
    private static let membersMax = 1_000
    private static let field = "documents"

    private let bytes: [UInt8]
    private let elements: [Range<Int>]

    /// Finds the elements of the body.
    /// - Throws: `CallFailure` `rpc/invalid-argument` for another form.
    init(_ body: [UInt8]) throws(CallFailure) {
        // The reason may quote the body, so it is not passed on.
        guard
            let elements = try? JSONReader.objects(
                ofList: Self.field, in: body, countMax: Self.documentsMax)
        else { throw Self.malformed }
        bytes = body
        self.elements = elements
    }

    /// The number of documents.
    var count: Int { elements.count }

    /// Reads a document.
    /// - Throws: `CallFailure` `rpc/invalid-argument` if the element is no document;
    ///   `auth/invalid-document` if it is too long.
    func document(at index: Int) throws(CallFailure) -> GatewayV1.BundledDocument {
        let place = "\(Self.field)[\(index)]"
        func malformed(_ field: String) -> CallFailure {
            CallFailure(
                .invalidArgument, "\(place)\(field) is missing, or not what it should be.",
                violations: [place + field])
        }
        guard elements[index].count <= Self.elementBytesMax else {
            var error = ServiceError(.invalidDocument)
            error.violations = [
                .init(field: "\(place).json", rule: DocumentViolation.json.rawValue)
            ]
            throw CallFailure(error)
        }
        let options = JSONReader.Options(
            depthMax: Self.depthMax, membersMax: Self.membersMax, retainsNumberTexts: true)
        // The reason may quote the document, so it is not passed on.
        guard let object = try? JSONReader.value(in: bytes, at: elements[index], options).object
        else { throw malformed("") }
        guard let collection = object["collection"]?.string else { throw malformed(".collection") }
        guard let name = object["name"]?.string else { throw malformed(".name") }
        guard let changedAt = Self.integer(object["changedAtMs"]) else {
            throw malformed(".changed_at_ms")
        }
        let json: String
        switch (object["document"], object["json"]) {
        case (.object(let document), nil): json = JSONWriter.text(document)
        case (nil, .string(let text)): json = text
        default: throw malformed(".json")
        }
        return GatewayV1.BundledDocument(
            collection: collection, name: name, json: json, changedAtMs: changedAt)
    }

    /// Proto3's JSON has 64-bit integers as strings; apps write numbers too.
    private static func integer(_ value: JSONValue?) -> Int64? {
        switch value {
        case .number(let text), .string(let text): Int64(text)
        default: nil
        }
    }

    private static let malformed = CallFailure(
        .invalidArgument, "The body must be one object with a list of objects as `documents`.",
        violations: [field])
}
