"""Libraries that compute: tables, arrays, models, graphs, formulas, places."""

from errata.classification._answer import Classification, Otherwise, RuleResult, Table, first
from errata.classification._carried import by_status
from errata.classification._reach import read_exception
from errata.classification._verdicts import BUG
from errata.model import Code, Retry

_TOO_LARGE = Classification(Code.SERVICE_UNAVAILABLE, Retry.NEVER, text="There is not enough memory for this.")
_BUSY = Classification(
    Code.SERVICE_UNAVAILABLE, text="There is not enough memory for this now."
)  # A card that others use too.


def of_cause(error: BaseException) -> RuleResult:
    """The exception of the database below it."""
    return read_exception(error, "__cause__")


# fmt: off
TABLE: Table = {
    # pandas.
    "pandas._libs.tslibs.parsing.DateParseError": Code.INVALID_FORMAT,
    "pandas.errors.AbstractMethodError": Code.NOT_IMPLEMENTED,
    "pandas.errors.ClosedFileError": BUG,
    "pandas.errors.DataError": Code.VALIDATION_FAILED,
    "pandas.errors.DatabaseError": first(of_cause, Code.DATABASE_ERROR),
    "pandas.errors.DuplicateLabelError": Code.VALIDATION_FAILED,
    "pandas.errors.EmptyDataError": Code.SERIALIZATION_ERROR,
    "pandas.errors.IncompatibleFrequency": Code.VALIDATION_FAILED,
    "pandas.errors.IndexingError": BUG,
    "pandas.errors.IntCastingNaNError": Code.VALIDATION_FAILED,
    "pandas.errors.InvalidComparison": BUG,
    "pandas.errors.InvalidIndexError": BUG,
    "pandas.errors.InvalidVersion": Code.INVALID_FORMAT,
    "pandas.errors.LossySetitemError": BUG,
    "pandas.errors.MergeError": Code.VALIDATION_FAILED,
    "pandas.errors.NoBufferPresent": BUG,
    "pandas.errors.NullFrequencyError": Code.VALIDATION_FAILED,
    "pandas.errors.NumExprClobberingError": Code.INVALID_PARAMS,
    "pandas.errors.NumbaUtilError": BUG,
    "pandas.errors.OptionError": Code.INVALID_PARAMS,
    "pandas.errors.OutOfBoundsDatetime": Code.VALIDATION_FAILED,
    "pandas.errors.OutOfBoundsTimedelta": Code.VALIDATION_FAILED,
    "pandas.errors.ParserError": Code.SERIALIZATION_ERROR,
    "pandas.errors.PossibleDataLossError": Code.CONFLICT,
    "pandas.errors.PyperclipException": Code.CONFIGURATION_ERROR,  # There is no clipboard.
    "pandas.errors.SpecificationError": Code.INVALID_PARAMS,
    "pandas.errors.UndefinedVariableError": Code.INVALID_PARAMS,  # In a query that the caller wrote.
    "pandas.errors.UnsortedIndexError": BUG,
    "pandas.errors.UnsupportedFunctionCall": Code.NOT_IMPLEMENTED,

    # Polars and Arrow.
    "polars.exceptions.PolarsError": Otherwise(Code.INTERNAL_ERROR),
    "polars.exceptions.ColumnNotFoundError": Code.NOT_FOUND,
    "polars.exceptions.ComputeError": Otherwise(Code.VALIDATION_FAILED),
    "polars.exceptions.DuplicateError": Code.CONFLICT,
    "polars.exceptions.InvalidOperationError": Code.VALIDATION_FAILED,
    "polars.exceptions.NoDataError": Code.SERIALIZATION_ERROR,
    "polars.exceptions.NoRowsReturnedError": Code.NOT_FOUND,
    "polars.exceptions.OutOfBoundsError": Code.VALIDATION_FAILED,
    "polars.exceptions.RowsError": Code.VALIDATION_FAILED,
    "polars.exceptions.SQLInterfaceError": Code.INVALID_PARAMS,
    "polars.exceptions.SQLSyntaxError": Code.INVALID_PARAMS,
    "polars.exceptions.SchemaError": Code.VALIDATION_FAILED,
    "polars.exceptions.SchemaFieldNotFoundError": Code.NOT_FOUND,
    "polars.exceptions.ShapeError": Code.VALIDATION_FAILED,
    "polars.exceptions.StructFieldNotFoundError": Code.NOT_FOUND,
    "polars.exceptions.UnsuitableSQLError": Code.INVALID_PARAMS,
    "pyarrow.lib.ArrowException": Otherwise(Code.INTERNAL_ERROR),
    "pyarrow.lib.ArrowCancelled": Code.CANCELLED,
    "pyarrow.lib.ArrowCapacityError": Code.VALIDATION_FAILED,
    "pyarrow.lib.ArrowIndexError": Code.VALIDATION_FAILED,
    "pyarrow.lib.ArrowInvalid": Code.SERIALIZATION_ERROR,
    "pyarrow.lib.ArrowKeyError": Code.NOT_FOUND,
    "pyarrow.lib.ArrowMemoryError": _TOO_LARGE,
    "pyarrow.lib.ArrowNotImplementedError": Code.NOT_IMPLEMENTED,
    "pyarrow.lib.ArrowSerializationError": Code.SERIALIZATION_ERROR,
    "pyarrow.lib.ArrowTypeError": Code.VALIDATION_FAILED,
    "pyarrow._feather.FeatherError": Code.SERIALIZATION_ERROR,
    "pyarrow._flight.FlightCancelledError": Code.CANCELLED,
    "pyarrow._flight.FlightError": Otherwise(Code.UPSTREAM_ERROR),
    "pyarrow._flight.FlightInternalError": Code.UPSTREAM_ERROR,
    "pyarrow._flight.FlightServerError": Code.UPSTREAM_ERROR,
    "pyarrow._flight.FlightTimedOutError": Code.TIMEOUT,
    "pyarrow._flight.FlightUnauthenticatedError": Code.UNAUTHORIZED,
    "pyarrow._flight.FlightUnauthorizedError": Code.FORBIDDEN,
    "pyarrow._flight.FlightUnavailableError": Code.SERVICE_UNAVAILABLE,
    "pyarrow._flight.FlightWriteSizeExceededError": Code.VALIDATION_FAILED,

    # Arrays and models. Numbers that cannot be computed with are the caller's.
    "numpy.linalg.LinAlgError": Code.VALIDATION_FAILED,
    "numpy.exceptions.AxisError": Code.INVALID_PARAMS,
    "numpy.exceptions.DTypePromotionError": BUG,
    "numpy.exceptions.TooHardError": Code.VALIDATION_FAILED,
    "numpy._core._exceptions.UFuncTypeError": BUG,
    "numpy._core._exceptions._ArrayMemoryError": _TOO_LARGE,
    "numpy.lib._iotools.ConverterError": Code.SERIALIZATION_ERROR,
    "numpy.ma.core.MAError": Code.VALIDATION_FAILED,
    "scipy.cluster.vq.ClusterError": Code.VALIDATION_FAILED,
    "scipy.io._fortran.FortranEOFError": Code.SERIALIZATION_ERROR,
    "scipy.io._fortran.FortranFormattingError": Code.SERIALIZATION_ERROR,
    "scipy.io.arff._arffread.ArffError": Code.SERIALIZATION_ERROR,
    "scipy.io.matlab._miobase.MatReadError": Code.SERIALIZATION_ERROR,
    "scipy.io.matlab._miobase.MatWriteError": Code.SERIALIZATION_ERROR,
    "scipy.optimize._nonlin.NoConvergence": Code.VALIDATION_FAILED,
    "scipy.sparse.csgraph._shortest_path.NegativeCycleError": Code.VALIDATION_FAILED,
    "scipy.sparse.linalg._eigen.arpack.arpack.ArpackError": Code.VALIDATION_FAILED,
    "scipy.spatial._qhull.QhullError": Code.VALIDATION_FAILED,
    "scipy.stats._continuous_distns.FitDataError": Code.VALIDATION_FAILED,
    "scipy.stats._warnings_errors.FitError": Code.VALIDATION_FAILED,
    "sklearn.exceptions.NotFittedError": BUG,
    "sklearn.exceptions.UnsetMetadataPassedError": BUG,
    "sklearn.utils._param_validation.InvalidParameterError": Code.INVALID_PARAMS,
    "sklearn.datasets._openml.OpenMLError": Code.UPSTREAM_ERROR,
    "torch.OutOfMemoryError": _BUSY,
    "torch.cuda.OutOfMemoryError": _BUSY,
    "matplotlib.ExecutableNotFoundError": Code.CONFIGURATION_ERROR,
    "matplotlib.units.ConversionError": Code.VALIDATION_FAILED,
    "statistics.StatisticsError": Code.VALIDATION_FAILED,

    # Formulas, graphs, language.
    "sympy.core.sympify.SympifyError": Code.INVALID_FORMAT,
    "sympy.core.coreerrors.BaseCoreError": Code.VALIDATION_FAILED,
    "sympy.core.function.PoleError": Code.VALIDATION_FAILED,
    "sympy.geometry.exceptions.GeometryError": Code.VALIDATION_FAILED,
    "sympy.matrices.exceptions.MatrixError": Code.VALIDATION_FAILED,
    "sympy.parsing.latex.errors.LaTeXParsingError": Code.INVALID_FORMAT,
    "sympy.polys.matrices.exceptions.DMError": Code.VALIDATION_FAILED,
    "sympy.polys.polyerrors.BasePolynomialError": Code.VALIDATION_FAILED,
    "sympy.solvers.polysys.SolveFailed": Code.VALIDATION_FAILED,
    "sympy.solvers.simplex.InfeasibleLPError": Code.VALIDATION_FAILED,
    "sympy.solvers.simplex.UnboundedLPError": Code.VALIDATION_FAILED,
    "sympy.solvers.solveset.NonlinearError": Code.VALIDATION_FAILED,
    "mpmath.libmp.libhyper.NoConvergence": Code.VALIDATION_FAILED,
    "graphlib.CycleError": Code.VALIDATION_FAILED,
    "networkx.exception.NetworkXException": Code.VALIDATION_FAILED,
    "networkx.exception.NetworkXNoCycle": Code.NOT_FOUND,
    "networkx.exception.NetworkXNoPath": Code.NOT_FOUND,
    "networkx.exception.NetworkXNotImplemented": Code.NOT_IMPLEMENTED,
    "networkx.exception.NodeNotFound": Code.NOT_FOUND,
    "nltk.internals.ReadError": Code.SERIALIZATION_ERROR,
    "nltk.corpus.reader.wordnet.WordNetError": Code.NOT_FOUND,
    "nltk.sem.logic.LogicalExpressionException": Code.INVALID_FORMAT,
    "nltk.tgrep.TgrepException": Code.INVALID_PARAMS,

    # Places.
    "shapely.errors.ShapelyError": Code.VALIDATION_FAILED,
    "shapely.errors.UnsupportedGEOSVersionError": Code.CONFIGURATION_ERROR,
    "shapely.errors.WKBReadingError": Code.SERIALIZATION_ERROR,
    "shapely.errors.WKTReadingError": Code.SERIALIZATION_ERROR,
    "geopy.adapters.AdapterHTTPError": by_status,
    "geopy.exc.GeopyError": Otherwise(Code.INTERNAL_ERROR),
    "geopy.exc.ConfigurationError": Code.CONFIGURATION_ERROR,
    "geopy.exc.GeocoderServiceError": Otherwise(Code.UPSTREAM_ERROR),
    "geopy.exc.GeocoderAuthenticationFailure": Code.UNAUTHORIZED,
    "geopy.exc.GeocoderInsufficientPrivileges": Code.FORBIDDEN,
    "geopy.exc.GeocoderNotFound": Code.CONFIGURATION_ERROR,  # No geocoder of that name.
    "geopy.exc.GeocoderParseError": Code.SERIALIZATION_ERROR,
    "geopy.exc.GeocoderQueryError": Code.INVALID_PARAMS,
    "geopy.exc.GeocoderQuotaExceeded": Code.RATE_LIMITED,
    "geopy.exc.GeocoderRateLimited": Code.RATE_LIMITED,
    "geopy.exc.GeocoderTimedOut": Code.TIMEOUT,
    "geopy.exc.GeocoderUnavailable": Classification(Code.NETWORK_ERROR, Retry.SAME_CALL),  # No connection was made.
    "fiona.errors.FionaError": Otherwise(Code.INTERNAL_ERROR),
    "fiona.errors.CRSError": Code.INVALID_PARAMS,
    "fiona.errors.DatasetDeleteError": Otherwise(Code.INTERNAL_ERROR),
    "fiona.errors.DriverError": Otherwise(Code.SERIALIZATION_ERROR),
    "fiona.errors.SchemaError": Code.VALIDATION_FAILED,
    "fiona.errors.UnsupportedGeometryTypeError": Code.VALIDATION_FAILED,
    "rasterio.errors.RasterioError": Otherwise(Code.INTERNAL_ERROR),
    "rasterio.errors.CRSError": Code.INVALID_PARAMS,
    "rasterio.errors.DriverCapabilityError": Code.NOT_IMPLEMENTED,
    "rasterio.errors.RasterioIOError": Otherwise(Code.SERIALIZATION_ERROR),
    "rasterio.errors.WindowError": Code.VALIDATION_FAILED,
    "pyproj.exceptions.ProjError": Code.VALIDATION_FAILED,
    "pyproj.exceptions.CRSError": Code.INVALID_PARAMS,
    "osmnx._errors.InsufficientResponseError": Code.NOT_FOUND,
    "osmnx._errors.ResponseStatusCodeError": Otherwise(Code.UPSTREAM_ERROR),
    "osmnx._errors.CacheOnlyInterruptError": BUG,
    "osmnx._errors.GraphSimplificationError": Code.VALIDATION_FAILED,
    "osmnx._errors.ValidationError": Code.VALIDATION_FAILED,
}
# fmt: on
