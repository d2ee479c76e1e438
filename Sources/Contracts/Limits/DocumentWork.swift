/// What a call costs that writes documents (I-07), in units of the limit `document-work-by-account`.
///
/// A merge of a few bytes can change a document of the longest size, so the cost is known where the
/// documents are, and the charge is made where the limits are. The gateway pays for what it sees in
/// the request. Identity reads how long the stored documents are, and if that costs more, it answers
/// how much, and does nothing else. The gateway pays the rest and calls again.
package enum DocumentWork {
    /// The JSON of one unit, in bytes: identity parses, checks, writes and seals it in about 1 ms.
    package static let unitBytes = 16 * 1_024
    /// What each document counts at least, in bytes: so much costs its row.
    package static let documentBytesMin = 1_024

    /// The units of a call's documents, from 1.
    /// - Parameter bytes: for each document, the length of its JSON: of the longer one of those that
    ///   are read and that are sent.
    package static func units(of bytes: some Sequence<Int>) -> Int {
        max(1, (countedBytes(of: bytes) + unitBytes - 1) / unitBytes)
    }

    /// What the documents count together, in bytes.
    /// - Parameter bytes: as for `units`.
    package static func countedBytes(of bytes: some Sequence<Int>) -> Int {
        bytes.reduce(0) { $0 + max($1, documentBytesMin) }
    }
}
