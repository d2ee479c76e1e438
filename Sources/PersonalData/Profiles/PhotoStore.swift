package import IdentityService
import Messages
package import ServiceRuntime
package import Storage

/// A row of `photos`. The pixels are in a blob, in parts that are sealed under the account's key.
package struct PhotoRow: Hashable, Sendable {
    let rowKey: Int64
    let account: AccountID
    let sealedName: [UInt8]
    /// The SHA-256 of the photo, by which an upload of the same one is recognised; sealed, since it
    /// says which picture it is.
    let sealedHash: [UInt8]
    /// The format of its blob.
    package let format: PhotoFormat
    /// In pixels.
    package let width: Int64
    /// In pixels.
    package let height: Int64
    /// The photo's length, not sealed.
    package let bytes: Int64
    /// When it was uploaded.
    package let uploadedAt: Timestamp
    /// The file of its pixels.
    package let blob: BlobName

    /// How many parts there are.
    package var parts: Int { SealedParts.count(ofBytes: Int(clamping: bytes)) }

    /// A part of the pixels; nil if a store was restored without its blobs.
    /// - Throws: as `SealedParts.part`.
    package func part(
        _ index: Int, in blobs: any BlobStore, _ vault: AccountVault
    ) async throws -> [UInt8]? {
        try await SealedParts.part(
            index, of: blob, in: blobs, vault, .photoPart(rowKey, index: index, of: parts))
    }

    /// The photo as apps see it.
    func message(_ vault: AccountVault, _ photos: PhotoURLs) throws -> GatewayV1.Photo {
        let name = try vault.open(sealedName, .photoName(rowKey))
        return GatewayV1.Photo(
            name: name, url: photos.url(of: name), contentType: format.rawValue,
            width: UInt32(clamping: width), height: UInt32(clamping: height),
            bytes: UInt32(clamping: bytes), uploadedAtMs: uploadedAt.milliseconds)
    }
}

extension PhotoRow {
    /// The columns that `init` reads.
    fileprivate static let columns =
        "photo, account, name, hash, content_type, width, height, bytes, uploaded_at_ms, blob"

    fileprivate init(_ row: SQLRow) throws {
        rowKey = try row.integer("photo")
        account = try AccountID(stored: row.integer("account"))
        sealedName = try row.blob("name")
        sealedHash = try row.blob("hash")
        guard let format = PhotoFormat(rawValue: try row.text("content_type")) else {
            throw SQLError(.unexpectedValue, detail: "photos.content_type")
        }
        self.format = format
        width = try row.integer("width")
        height = try row.integer("height")
        bytes = try row.integer("bytes")
        uploadedAt = try row.timestamp("uploaded_at_ms")
        guard let blob = BlobName(try row.text("blob")) else {
            throw SQLError(.unexpectedValue, detail: "photos.blob")
        }
        self.blob = blob
    }
}

extension SQLSession {
    /// The photo of an account.
    /// - Throws: `SQLError`.
    package func photo(of account: AccountID) throws -> PhotoRow? {
        try queryOne(
            "SELECT \(PhotoRow.columns) FROM photos WHERE account = ?", [.integer(account.key)]
        ) { try PhotoRow($0) }
    }

    /// The photo with a name, by the name's keyed hash.
    func photo(nameKey: [UInt8]) throws -> PhotoRow? {
        try queryOne(
            "SELECT \(PhotoRow.columns) FROM photos WHERE name_key = ?", [.blob(nameKey)]
        ) { try PhotoRow($0) }
    }

    /// Whether a row of a photo or an export names the blob.
    /// - Throws: `SQLError`.
    package func isOwned(_ blob: BlobName) throws -> Bool {
        let name: [SQLValue] = [.text(blob.text)]
        let isPhoto = try queryOne("SELECT photo FROM photos WHERE blob = ?", name) { _ in true }
        let isExport = try queryOne("SELECT export FROM exports WHERE blob = ?", name) { _ in true }
        return isPhoto ?? isExport ?? false
    }
}

extension Transaction {
    /// Inserts the photo of an account that has none.
    func insert(_ row: PhotoRow, nameKey: [UInt8]) throws {
        try put(
            """
            INSERT INTO photos
                (photo, account, name_key, name, hash, content_type, width, height, bytes,
                 uploaded_at_ms, blob)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .integer(row.rowKey), .integer(row.account.key), .blob(nameKey),
                .blob(row.sealedName), .blob(row.sealedHash), .text(row.format.rawValue),
                .integer(row.width), .integer(row.height), .integer(row.bytes),
                SQLValue(row.uploadedAt), .text(row.blob.text),
            ])
    }

    /// Removes the photo of an account, and the provider's picture, which does not return (G-17).
    /// - Returns: the photo's blob, to be removed after the commit; nil without a photo.
    func removePhoto(of account: AccountID) throws -> BlobName? {
        try put(
            "UPDATE profiles SET photo_url = NULL, photo_edited_at_ms = ? WHERE account = ?",
            [SQLValue(at), .integer(account.key)])
        let photo = try photo(of: account)
        try put("DELETE FROM photos WHERE account = ?", [.integer(account.key)])
        return photo?.blob
    }
}

/// The schema that profiles and photos add to the identity service.
extension IdentityTables {
    /// When the owner set the name or the photo here; null as long as both are the provider's.
    ///
    /// It is not known who gave the names from before. Those of accounts with a password or from an
    /// import may have been typed, so no provider replaces them.
    package static let photos = """
        ALTER TABLE profiles ADD COLUMN name_edited_at_ms INTEGER;
        ALTER TABLE profiles ADD COLUMN photo_edited_at_ms INTEGER;
        UPDATE profiles SET name_edited_at_ms = 0
            WHERE account IN (SELECT account FROM passwords)
                OR account IN (SELECT account FROM imported_accounts);
        UPDATE profiles SET photo_edited_at_ms = 0
            WHERE photo_url IS NOT NULL
                AND account IN (SELECT account FROM imported_accounts);
        CREATE TABLE photos (
            photo INTEGER PRIMARY KEY,
            account INTEGER NOT NULL REFERENCES accounts,
            name_key BLOB NOT NULL,
            name BLOB NOT NULL,
            hash BLOB NOT NULL,
            content_type TEXT NOT NULL,
            width INTEGER NOT NULL,
            height INTEGER NOT NULL,
            bytes INTEGER NOT NULL,
            uploaded_at_ms INTEGER NOT NULL,
            blob TEXT NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX photos_by_account ON photos (account);
        CREATE UNIQUE INDEX photos_by_blob ON photos (blob);
        CREATE UNIQUE INDEX photos_by_name_key ON photos (name_key);
        """
}
