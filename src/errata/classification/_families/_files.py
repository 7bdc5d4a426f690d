"""Files and bytes in a format: archives, compression, encodings, images, sound, documents, messages, schemas on the wire."""

from errata.classification._answer import WITHHELD, Classification, Otherwise, RuleResult, Table, first
from errata.classification._errno import by_errno
from errata.classification._reach import read_number
from errata.classification._verdicts import BUG
from errata.model import Code, Retry

_LOCKED = Classification(Code.UNAUTHORIZED, text="The file is encrypted, and needs a password.")
_WRONG_PASSWORD = Classification(Code.UNAUTHORIZED, text="The file is encrypted, and the password does not open it.")

# fmt: off
_TRANSPORT = {  # TTransportException.type
    1: Classification(Code.NETWORK_ERROR, Retry.SAME_CALL),  # NOT_OPEN
    3: Classification(Code.TIMEOUT),
    5: Classification(Code.SERIALIZATION_ERROR),             # NEGATIVE_SIZE
    6: Classification(Code.VALIDATION_FAILED),               # SIZE_LIMIT
}
_APPLICATION = {  # TApplicationException.type
    1: Classification(Code.NOT_IMPLEMENTED),                 # UNKNOWN_METHOD
    7: Classification(Code.SERIALIZATION_ERROR),             # PROTOCOL_ERROR
    10: Classification(Code.NOT_IMPLEMENTED),                # UNSUPPORTED_CLIENT_TYPE
}
# fmt: on


def by_transport_type(error: BaseException) -> RuleResult:
    """Its type, a number."""
    return _TRANSPORT.get(read_number(error, "type") or 0)


def by_application_type(error: BaseException) -> RuleResult:
    """Its type, a number."""
    return _APPLICATION.get(read_number(error, "type") or 0)


# fmt: off
TABLE: Table = {
    # Archives. A member that would land elsewhere is a value that is refused.
    "zipfile.BadZipFile": Code.SERIALIZATION_ERROR,
    "zipfile.LargeZipFile": Code.SERIALIZATION_ERROR,
    "tarfile.TarError": Code.SERIALIZATION_ERROR,
    "tarfile.ExtractError": Otherwise(Code.INTERNAL_ERROR),
    "tarfile.FilterError": Code.VALIDATION_FAILED,
    "tarfile.StreamError": BUG,
    "backports.tarfile.TarError": Code.SERIALIZATION_ERROR,
    "backports.tarfile.FilterError": Code.VALIDATION_FAILED,
    "rarfile.Error": Code.SERIALIZATION_ERROR,
    "rarfile.NoRarEntry": Code.NOT_FOUND,
    "rarfile.PasswordRequired": _LOCKED,
    "rarfile.RarWrongPassword": _WRONG_PASSWORD,
    "rarfile.RarCannotExec": Code.CONFIGURATION_ERROR,
    "py7zr.exceptions.ArchiveError": Code.SERIALIZATION_ERROR,
    "py7zr.exceptions.PasswordRequired": _LOCKED,
    "py7zr.exceptions.UnsupportedCompressionMethodError": Code.NOT_IMPLEMENTED,
    "zipapp.ZipAppError": Code.VALIDATION_FAILED,

    # Compression.
    "zlib.error": Code.SERIALIZATION_ERROR,
    "gzip.BadGzipFile": Code.SERIALIZATION_ERROR,
    "lzma.LZMAError": Code.SERIALIZATION_ERROR,
    "_lzma.LZMAError": Code.SERIALIZATION_ERROR,
    "compression.zstd.ZstdError": Code.SERIALIZATION_ERROR,
    "zstandard.ZstdError": Code.SERIALIZATION_ERROR,
    "brotli.error": Code.SERIALIZATION_ERROR,
    "snappy.snappy.UncompressError": Code.SERIALIZATION_ERROR,

    # Bytes.
    "struct.error": Code.SERIALIZATION_ERROR,
    "binascii.Error": Code.SERIALIZATION_ERROR,
    "binascii.Incomplete": Code.SERIALIZATION_ERROR,
    "uu.Error": Code.SERIALIZATION_ERROR,
    "xdrlib.Error": Code.SERIALIZATION_ERROR,
    "plistlib.InvalidFileException": Code.SERIALIZATION_ERROR,
    "_pickle.PickleError": Code.SERIALIZATION_ERROR,
    "pickle.PickleError": Code.SERIALIZATION_ERROR,
    "msgpack.exceptions.UnpackException": Code.SERIALIZATION_ERROR,
    "msgpack.exceptions.BufferFull": Code.SERIALIZATION_ERROR,
    "msgpack.exceptions.ExtraData": Code.SERIALIZATION_ERROR,
    "msgpack.exceptions.FormatError": Code.SERIALIZATION_ERROR,
    "msgpack.exceptions.OutOfData": Code.SERIALIZATION_ERROR,
    "msgpack.exceptions.StackError": Code.SERIALIZATION_ERROR,
    "cbor2.CBORError": Code.SERIALIZATION_ERROR,
    "pyasn1.error.PyAsn1Error": Code.SERIALIZATION_ERROR,
    "pyasn1.error.ValueConstraintError": Code.VALIDATION_FAILED,
    "google.protobuf.message.DecodeError": Code.SERIALIZATION_ERROR,
    "google.protobuf.message.EncodeError": Code.SERIALIZATION_ERROR,
    "google.protobuf.json_format.ParseError": Code.SERIALIZATION_ERROR,
    "google.protobuf.json_format.SerializeToJsonError": Code.SERIALIZATION_ERROR,
    "google.protobuf.runtime_version.VersionError": Code.CONFIGURATION_ERROR,
    "capnp.lib.capnp.KjException": Otherwise(Code.SERIALIZATION_ERROR),
    "avro.errors.AvroException": Code.SERIALIZATION_ERROR,
    "avro.errors.AvroRemoteException": Code.UPSTREAM_ERROR,
    "avro.errors.AvroTypeException": Classification(Code.VALIDATION_FAILED, text=WITHHELD),  # It prints the value.
    "avro.errors.ConnectionClosedException": Code.NETWORK_ERROR,
    "avro.errors.ProtocolParseException": Code.CONFIGURATION_ERROR,
    "avro.errors.SchemaParseException": Code.CONFIGURATION_ERROR,
    "avro.errors.UnsupportedCodec": Code.NOT_IMPLEMENTED,
    "avro.errors.UsageError": BUG,
    "fastavro._read_common.SchemaResolutionError": Code.SERIALIZATION_ERROR,
    "fastavro._read.ReadError": Code.SERIALIZATION_ERROR,
    "fastavro._schema_common.SchemaParseException": Code.CONFIGURATION_ERROR,
    "fastavro._schema_common.UnknownType": Code.CONFIGURATION_ERROR,
    "fastavro._validate_common.ValidationError": Classification(Code.VALIDATION_FAILED, text=WITHHELD),
    "fastavro.repository.base.SchemaRepositoryError": Code.CONFIGURATION_ERROR,
    "thrift.Thrift.TException": Otherwise(Code.UPSTREAM_ERROR),  # Services declare their own failures as subclasses.
    "thrift.Thrift.TApplicationException": first(by_application_type, Code.UPSTREAM_ERROR),
    "thrift.protocol.TProtocol.TProtocolException": Code.SERIALIZATION_ERROR,
    "thrift.transport.TTransport.TTransportException": first(by_transport_type, Code.NETWORK_ERROR),

    # Images and sound.
    "PIL.UnidentifiedImageError": Classification(Code.SERIALIZATION_ERROR, text="The file is not an image in a known format."),
    "PIL.Image.DecompressionBombError": Code.VALIDATION_FAILED,
    "PIL.BlpImagePlugin.BLPFormatError": Code.SERIALIZATION_ERROR,
    "PIL.ImageCms.PyCMSError": Code.SERIALIZATION_ERROR,
    "PIL.PdfParser.PdfFormatError": Code.SERIALIZATION_ERROR,
    "pytesseract.pytesseract.TesseractNotFoundError": Code.CONFIGURATION_ERROR,
    "qrcode.exceptions.DataOverflowError": Code.VALIDATION_FAILED,
    "wave.Error": Code.SERIALIZATION_ERROR,
    "aifc.Error": Code.SERIALIZATION_ERROR,
    "sunau.Error": Code.SERIALIZATION_ERROR,
    "audioop.error": Code.SERIALIZATION_ERROR,
    "pydub.exceptions.PydubException": Code.SERIALIZATION_ERROR,
    "soundfile.SoundFileError": Code.SERIALIZATION_ERROR,
    "mutagen.MutagenError": Otherwise(Code.SERIALIZATION_ERROR),

    # Documents.
    "pypdf.errors.PyPdfError": Code.SERIALIZATION_ERROR,
    "pypdf.errors.DependencyError": Code.CONFIGURATION_ERROR,
    "pypdf.errors.DeprecationError": BUG,
    "pypdf.errors.FileNotDecryptedError": _LOCKED,
    "pypdf.errors.LimitReachedError": Code.VALIDATION_FAILED,
    "pypdf.errors.PageSizeNotDefinedError": Code.INVALID_PARAMS,
    "pypdf.errors.WrongPasswordError": _WRONG_PASSWORD,
    "PyPDF2.errors.PyPdfError": Code.SERIALIZATION_ERROR,
    "PyPDF2.errors.ParseError": Code.SERIALIZATION_ERROR,
    "PyPDF2.errors.DependencyError": Code.CONFIGURATION_ERROR,
    "PyPDF2.errors.DeprecationError": BUG,
    "PyPDF2.errors.FileNotDecryptedError": _LOCKED,
    "PyPDF2.errors.PageSizeNotDefinedError": Code.INVALID_PARAMS,
    "PyPDF2.errors.WrongPasswordError": _WRONG_PASSWORD,
    "pdfminer.psexceptions.PSException": Code.SERIALIZATION_ERROR,
    "pdfminer.pdfdocument.PDFDestinationNotFound": Code.NOT_FOUND,
    "pdfminer.pdfdocument.PDFEncryptionError": _LOCKED,
    "pdfminer.pdfdocument.PDFNoOutlines": Code.NOT_FOUND,
    "pdfminer.pdfdocument.PDFNoPageLabels": Code.NOT_FOUND,
    "pdfminer.pdfdocument.PDFPasswordIncorrect": _WRONG_PASSWORD,
    "pdfminer.pdfdocument.PDFTextExtractionNotAllowed": Code.FORBIDDEN,
    "pdfminer.pdfexceptions.PDFNotImplementedError": Code.NOT_IMPLEMENTED,
    "pdfminer.pdfexceptions.PDFObjectNotFound": Code.SERIALIZATION_ERROR,
    "pikepdf._core.PdfError": Code.SERIALIZATION_ERROR,
    "pikepdf._core.PasswordError": _WRONG_PASSWORD,
    "pymupdf.FileDataError": Code.SERIALIZATION_ERROR,
    "pymupdf.FileNotFoundError": Code.NOT_FOUND,
    "pymupdf.mupdf.FzErrorBase": Otherwise(Code.SERIALIZATION_ERROR),
    "fitz.fitz.FileDataError": Code.SERIALIZATION_ERROR,
    "fitz.fitz.FileNotFoundError": Code.NOT_FOUND,
    "pdf2image.exceptions.PDFInfoNotInstalledError": Code.CONFIGURATION_ERROR,
    "pdf2image.exceptions.PDFPageCountError": Code.SERIALIZATION_ERROR,
    "pdf2image.exceptions.PDFPopplerTimeoutError": Code.TIMEOUT,
    "pdf2image.exceptions.PDFSyntaxError": Code.SERIALIZATION_ERROR,
    "reportlab.platypus.doctemplate.LayoutError": Code.VALIDATION_FAILED,
    "openpyxl.formula.tokenizer.TokenizerError": Code.INVALID_FORMAT,
    "openpyxl.formula.translate.TranslatorError": Code.INVALID_FORMAT,
    "openpyxl.utils.exceptions.CellCoordinatesException": Code.INVALID_PARAMS,
    "openpyxl.utils.exceptions.IllegalCharacterError": Classification(Code.VALIDATION_FAILED, text="The text has characters that a worksheet cannot hold."),
    "openpyxl.utils.exceptions.InvalidFileException": Code.SERIALIZATION_ERROR,
    "openpyxl.utils.exceptions.NamedRangeException": Code.VALIDATION_FAILED,
    "openpyxl.utils.exceptions.ReadOnlyWorkbookException": BUG,
    "openpyxl.utils.exceptions.SheetTitleException": Code.VALIDATION_FAILED,
    "openpyxl.utils.exceptions.WorkbookAlreadySaved": BUG,
    "xlsxwriter.exceptions.XlsxWriterException": Code.VALIDATION_FAILED,
    "xlrd.biffh.XLRDError": Code.SERIALIZATION_ERROR,
    "xlrd.compdoc.CompDocError": Code.SERIALIZATION_ERROR,
    "xlrd.formula.FormulaError": Code.SERIALIZATION_ERROR,
    "xlrd.xldate.XLDateError": Code.VALIDATION_FAILED,
    "docx.exceptions.PythonDocxError": Code.SERIALIZATION_ERROR,
    "docx.exceptions.InvalidSpanError": Code.VALIDATION_FAILED,
    "docx.image.exceptions.InvalidImageStreamError": Code.SERIALIZATION_ERROR,
    "docx.image.exceptions.UnexpectedEndOfFileError": Code.SERIALIZATION_ERROR,
    "docx.image.exceptions.UnrecognizedImageError": Code.SERIALIZATION_ERROR,
    "docx.opc.exceptions.OpcError": Code.SERIALIZATION_ERROR,
    "docx.opc.exceptions.PackageNotFoundError": Code.NOT_FOUND,
    "docx.oxml.exceptions.XmlchemyError": Code.SERIALIZATION_ERROR,
    "pptx.exc.PythonPptxError": Code.SERIALIZATION_ERROR,
    "pptx.exc.PackageNotFoundError": Code.NOT_FOUND,

    # Mail in files, and key-value files.
    "email.errors.MessageError": Code.SERIALIZATION_ERROR,
    "email.errors.MessageDefect": Code.SERIALIZATION_ERROR,
    "email.errors.HeaderWriteError": Code.VALIDATION_FAILED,
    "email.errors.MultipartConversionError": BUG,
    "mailbox.Error": Otherwise(Code.INTERNAL_ERROR),
    "mailbox.ExternalClashError": Classification(Code.CONFLICT, Retry.SAME_CALL),  # Another program has it locked.
    "mailbox.FormatError": Code.SERIALIZATION_ERROR,
    "mailbox.NoSuchMailboxError": Code.NOT_FOUND,
    "mailbox.NotEmptyError": Code.CONFLICT,
    "_dbm.error": first(by_errno, Code.DATABASE_ERROR),
    "_gdbm.error": first(by_errno, Code.DATABASE_ERROR),
    "dbm.error": first(by_errno, Code.DATABASE_ERROR),
    "dbm.sqlite3.error": first(by_errno, Code.DATABASE_ERROR),
}
# fmt: on
