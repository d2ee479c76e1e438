import Contracts
import Cryptography

@testable import AccountLife
@testable import Addresses
@testable import GatewayService
@testable import IdentityService
@testable import Messages
@testable import NotificationService
@testable import PersonalData
@testable import ServiceRuntime
@testable import SessionService

/// The bound of a field, from the code that checks it.
enum FieldBound: Hashable {
    /// Bytes of a text, or of bytes.
    case bytes(Int)
    /// Unicode scalars of a text.
    case characters(Int)
    /// Items of a list.
    case items(Int)
    /// A number.
    case value(Int)
    /// Its length is fixed or not the caller's choice: a token, an id, a name of the operator's.
    case any
    /// It is left out, for the reason beside it.
    case unset

    /// The bound of a field; nil if neither its name nor the field has one.
    static func of(_ field: String, in message: String) -> FieldBound? {
        fields["\(message).\(field)"] ?? names[field]
    }

    /// Fields that differ from others of their names.
    static let fields: [String: FieldBound] = [
        "Device.name": .bytes(GatewayV1.Device.nameBytesMax),
        // A brief session has no refresh token, which later calls of a caller have.
        "Device.brief": .unset,
        // It is not read in a session, in which the others of its method are.
        "GetDataExportRequest.link_token": .unset,
        // It refuses sign-ups, which the method is mostly for.
        "SignInWithPhoneCodeRequest.existing_only": .unset,
        "NoteActivityRequest.kind": .bytes(DevicesHandler.kindBytesMax),
        "DescribeProviderOutcomeRequest.provider": .bytes(ProviderNoticesHandler.providerBytesMax),
        "DownloadPhotoRequest.name": .any,
        "RegisterPushDeviceRequest.platform": .any,
        "RegisterPushDeviceRequest.token": .bytes(PushPlatform.tokenBytesMax),
        "RegisterPushDeviceRequest.app": .bytes(PushApps.nameBytesMax),
        "ReplacePushTokenRequest.token": .bytes(PushPlatform.tokenBytesMax),
        "GuestBundleHead.documents": .value(GuestDataHandler.documentsMax),
        "PushData.key": .bytes(PushText.nameBytesMax), "PushData.value": .any,
        "SendPushMessageRequest.data": .items(PushText.dataEntriesMax),
        "SendPushMessageRequest.title": .bytes(PushText.titleBytesMax),
        "SendPushMessageRequest.body": .bytes(PushText.bodyBytesMax),
        "SendPushMessageRequest.collapse_key": .bytes(PushText.collapseKeyBytesMax),
        "SendPushMessageRequest.expires_at_ms": .any,
        "UploadPhotoRequest.bytes": .value(CleanedPhoto.bytesMax),
        // Any number of bytes is accepted in a frame; profile.proto says how many to send.
        "UploadPhotoRequest.data": .bytes(64 << 10),
        // The first page has as much as any other, and most tests have no second one.
        "CompareGuestRequest.page_token": .unset, "ListAccountsRequest.page_token": .unset,
        "GetDocumentRulesRequest.page_token": .unset,
        "ListDeletionsRequest.page_token": .unset, "ListUnusedGuestsRequest.page_token": .unset,
        "ListOrphansRequest.page_token": .unset, "ListActivityRequest.page_token": .unset,
        "ListAccountActivityRequest.page_token": .unset,
        "ListActivityRequest.page_size": .value(Int(ActivityHistory.sizeMax)),
        "ListAccountActivityRequest.page_size": .value(Int(ActivityHistory.sizeMax)),
        "ConfirmTOTPRequest.name": .bytes(AuthenticatorApp.nameBytesMax),
        // Its bound is the mailed code's, and a text message costs more to prepare.
        "CompleteSignInRequest.phone_code": .unset,
        // A sign-in by passkey has the same message at its bounds.
        "CompleteSignInRequest.passkey": .unset, "ReauthenticateRequest.passkey": .unset,
        "AddPasskeyRequest.name": .bytes(PasskeyRow.nameBytesMax),
        "RenamePasskeyRequest.name": .bytes(PasskeyRow.nameBytesMax),
        // What does not follow from the authenticator's data is small.
        "PasskeyAttestation.transports": .items(8),
        // The whole archive is the most.
        "FetchDataExportRequest.offset": .unset,
    ]

    /// Fields by their names alone.
    static let names: [String: FieldBound] = [
        "email": .bytes(EmailAddress.enteredBytesMax),
        "new_email": .bytes(EmailAddress.enteredBytesMax),
        "parent_email": .bytes(EmailAddress.enteredBytesMax),
        "phone_number": .bytes(PhoneNumber.enteredBytesMax),
        "code": .bytes(PhoneCode.typedBytesMax), "email_code": .bytes(PhoneCode.typedBytesMax),
        "totp_code": .bytes(TOTPCode.typedBytesMax),
        "recovery_code": .bytes(RecoveryCode.typedBytesMax),
        "password": .bytes(Password.bytesMax), "current_password": .bytes(Password.bytesMax),
        "new_password": .bytes(Password.bytesMax),
        "display_name": .characters(Applicant.displayNameMax),
        "mail_language": .bytes(LanguageTag.bytesMax),
        "terms_version": .bytes(ConsentSettings.versionBytesMax),
        "privacy_version": .bytes(ConsentSettings.versionBytesMax),
        "device_id": .bytes(GatewayV1.Device.idBytesMax),
        "platform": .bytes(GatewayV1.Device.platformBytesMax),
        "id_token": .bytes(ProviderTokenCheck.tokenBytesMax),
        "payload": .bytes(ProviderTokenCheck.tokenBytesMax),
        "authorization_code": .bytes(GrantCode.bytesMax),
        "subject": .bytes(ProviderClaims.subjectBytesMax),
        "collection": .bytes(DocumentKey.collectionBytes.upperBound),
        "name": .bytes(DocumentKey.nameBytes.upperBound),
        "json": .bytes(DocumentText.bytesMax),
        "writes": .items(DocumentWrites.countMax),
        "picks": .items(GuestDataHandler.picksMax),
        "section": .bytes(RulesDocument.Limits.nameBytesMax),
        "screen": .bytes(RulesDocument.Limits.nameBytesMax),
        "actor": .bytes(BackendCalls.actorBytesMax),
        "reason": .bytes(AccountAdminHandler.reasonBytes.upperBound),
        "page_size": .value(Int(AccountAdminHandler.limitMax)),
        "roles": .items(AccountClaims.rolesMax), "claims_json": .bytes(AccountClaims.bytesMax),
        "kinds": .items(7),
        "max_age_ms": .value(
            Int(AccountSessionsHandler.ageMax.components.seconds) * 1_000),
        // Tokens, ids, keys and signatures.
        "token": .any, "link_token": .any, "refresh_token": .any, "access_token": .any,
        "confirmation_token": .any, "choice_token": .any, "application_token": .any,
        "page_token": .any, "nonce": .any, "account_id": .any, "session_id": .any,
        "request_id": .any, "migration_id": .any, "export_id": .any, "public_key": .any,
        "push_device_id": .any, "factor_id": .any, "enrollment_token": .any,
        // Of passkeys: what a browser returns.
        "passkey_id": .any, "id": .any, "raw_id": .any, "type": .any, "client_data_json": .any,
        "attestation_object": .any, "authenticator_data": .any, "user_handle": .any,
        "possession": .any, "signature": .any, "birth_date": .any, "challenge": .any,
        // Names that the operator's settings or the code have.
        "provider": .any, "issuer": .any, "method": .any, "kind": .any, "min_acr": .any,
    ]
}
