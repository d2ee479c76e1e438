import ServiceRuntime

/// How much an account may have of documents (I-07). Its owner alone fills it: a document is
/// written in the name of its account only.
struct DocumentQuota: Hashable, Sendable {
    let documentsMax: Int64
    let bytesMax: Int64

    /// The quota of an account; a guest's is smaller, since anybody can make guests.
    init(isGuest: Bool, _ settings: DocumentSettings) {
        documentsMax = Int64(settings.countMax)
        bytesMax = Int64(
            isGuest ? min(settings.guestBytesMax, settings.bytesMax) : settings.bytesMax)
    }

    /// A measure above its maximum may not grow; it can be above after the settings changed:
    ///
    ///     after the write     grows   result
    ///     within the maximum  either  accepted
    ///     above               no      accepted: who tidies up must not be refused
    ///     above               yes     refused, with the figures from before the write
    /// - Throws: `auth/document-quota`.
    func check(_ before: DocumentTotals, _ after: DocumentTotals) throws(ServiceError) {
        let isFull =
            Self.grows(before.documents, after.documents, beyond: documentsMax)
            || Self.grows(before.bytes, after.bytes, beyond: bytesMax)
        guard isFull else { return }
        var error = ServiceError(.documentQuota)
        error.documentQuota = ServiceError.DocumentQuota(
            documents: UInt32(clamping: before.documents),
            documentsMax: UInt32(clamping: documentsMax), bytes: UInt32(clamping: before.bytes),
            bytesMax: UInt32(clamping: bytesMax))
        throw error
    }

    private static func grows(_ before: Int64, _ after: Int64, beyond most: Int64) -> Bool {
        after > most && after > before
    }
}
