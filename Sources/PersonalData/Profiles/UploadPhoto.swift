import Cryptography
import IdentityService
import Messages
import RPC
import ServiceRuntime
import Storage

extension ProfileHandler {
    /// Items after which the caller learns the progress: 256 KiB.
    private static let itemsBetweenProgress = 4

    /// Replaces the photo of an account (G-17): receives, rewrites without metadata, seals, writes
    /// the file, commits its row, and only then removes the former file. The same photo again
    /// changes nothing.
    func uploadPhoto(
        _ incoming: IncomingItems<GatewayV1.UploadPhotoRequest>,
        _ outgoing: OutgoingItems<GatewayV1.UploadPhotoItem>, _ call: AccountCall
    ) async throws {
        var items = incoming.makeAsyncIterator()
        guard case .bytes(let bytes) = try await items.next()?.part else {
            throw ServiceError(.invalidArgument, fields: ["bytes"])
        }
        guard bytes <= CleanedPhoto.bytesMax else {
            throw ServiceError.invalidPhoto(.photoBytes)
        }
        let row = try await store.read { try $0.callersRow(call.account) }
        guard !row.isGuest || bytes <= settings.guestPhotoBytesMax else {
            throw ServiceError.invalidPhoto(.photoBytes)
        }
        let photo = try await uploads.run(of: call.account) {
            let file = try await receive(Int(bytes), of: call.account, &items, outgoing)
            let upload = try await offLoop {
                PreparedPhoto(try CleanedPhoto(file), randomness)
            }
            return try await save(upload, of: row, call.origin)
        }
        try await outgoing.write(.init(receivedBytes: bytes, photo: photo))
    }

    private func receive(
        _ count: Int, of account: AccountID,
        _ items: inout IncomingItems<GatewayV1.UploadPhotoRequest>.AsyncIterator,
        _ outgoing: OutgoingItems<GatewayV1.UploadPhotoItem>
    ) async throws -> [UInt8] {
        var file: [UInt8] = []
        var number = 0
        while file.count < count, let item = try await items.next() {
            guard case .data(let part) = item.part, !part.isEmpty, part.count <= count - file.count
            else { throw ServiceError(.invalidArgument, fields: ["data"]) }
            try uploads.receive(part.count, of: account)
            file += part
            number += 1
            if number.isMultiple(of: Self.itemsBetweenProgress), file.count < count {
                try await outgoing.write(.init(receivedBytes: UInt32(clamping: file.count)))
            }
        }
        guard file.count == count else { throw ServiceError(.invalidArgument, fields: ["data"]) }
        return file
    }

    private func save(
        _ upload: PreparedPhoto, of row: AccountRow, _ origin: CallOrigin
    ) async throws -> GatewayV1.Photo {
        let vault = try reader.vault(row)
        let account = row.account
        if let same = try await store.read({ try $0.photo(of: account) }),
            try upload.isSame(as: same, vault)
        {
            return try same.message(vault, answers.photos)
        }
        let parts = try await offLoop { try upload.sealedParts(vault) }
        try await blobs.write(upload.blob, parts)
        let (photo, former) = try await blobs.keep(upload.blob) {
            try await store.write(about: [.account(account)], evenIfCancelled: true) {
                try commit(upload, of: account, origin, $0)
            }
        }
        await remove(former)
        return try photo.message(vault, answers.photos)
    }

    /// - Returns: the new row, and the blob of the former photo.
    private func commit(
        _ upload: PreparedPhoto, of account: AccountID, _ origin: CallOrigin,
        _ transaction: Transaction
    ) throws -> (PhotoRow, former: BlobName?) {
        let owner = try transaction.changeableRow(account)
        try transaction.requireRoom(
            for: NewcomerBytes.callBytes + upload.bytes, of: owner.newcomer(at: transaction.at),
            from: origin, within: documents.newcomers)
        let vault = try reader.vault(owner)
        let row = try upload.row(of: account, vault, at: transaction.at)
        let former = try transaction.removePhoto(of: account)
        try transaction.insert(row, nameKey: keys.photos.lookUpKey(Array(upload.name.utf8)))
        try transaction.audit(.photoUploaded, account, from: origin)
        return (row, former)
    }
}

/// A photo that was received, with all that is drawn at random for it.
struct PreparedPhoto: Sendable {
    private static let nameBytes = 16

    let rowKey: Int64
    /// Not to be guessed: where photos are public, it is all that a caller needs.
    let name: String
    let blob: BlobName
    private let cleaned: CleanedPhoto
    private let hash: [UInt8]

    init(_ cleaned: CleanedPhoto, _ randomness: any Randomness) {
        rowKey = randomness.rowKey()
        name = Base64URL.encode(randomness.bytes(Self.nameBytes))
        blob = BlobName(drawnFrom: randomness)
        self.cleaned = cleaned
        hash = SHA256.hash(cleaned.bytes)
    }

    /// The length of the photo.
    var bytes: Int { cleaned.bytes.count }

    /// Whether the stored photo is this one.
    func isSame(as stored: PhotoRow, _ vault: AccountVault) throws -> Bool {
        try vault.openBytes(stored.sealedHash, .photoHash(stored.rowKey)) == hash
    }

    /// The content of the blob.
    func sealedParts(_ vault: AccountVault) throws -> [[UInt8]] {
        let count = SealedParts.count(ofBytes: cleaned.bytes.count)
        return try (0..<count).map { index in
            try vault.seal(
                cleaned.bytes.dropFirst(index * SealedParts.partBytes)
                    .prefix(SealedParts.partBytes),
                .photoPart(rowKey, index: index, of: count))
        }
    }

    /// The photo's row.
    func row(of account: AccountID, _ vault: AccountVault, at moment: Timestamp) throws -> PhotoRow
    {
        PhotoRow(
            rowKey: rowKey, account: account, sealedName: try vault.seal(name, .photoName(rowKey)),
            sealedHash: try vault.seal(hash, .photoHash(rowKey)), format: cleaned.format,
            width: Int64(cleaned.width), height: Int64(cleaned.height),
            bytes: Int64(cleaned.bytes.count), uploadedAt: moment, blob: blob)
    }
}
